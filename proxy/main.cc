// tessera-proxy: reads the settings, and runs the process that they describe.
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "config/load.h"
#include "proxy/process.h"

extern char** environ;

namespace tessera::proxy {
namespace {

config::Environment environment() {
  config::Environment variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

void set_up_log(const config::LogSettings& settings) {
  auto logger =
      std::make_shared<spdlog::logger>("tessera", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(settings.level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace
}  // namespace tessera::proxy

int main(int argc, char** argv) {
  using tessera::config::CommandLine;
  const CommandLine line = tessera::config::read_command_line(argc, argv, tessera::proxy::environment());
  if (line.action == CommandLine::Action::fail) {
    std::cerr << line.output << std::flush;
    return 2;
  }
  if (line.action != CommandLine::Action::run) {
    std::cout << line.output << std::flush;
    return 0;
  }
  try {
    tessera::proxy::set_up_log(line.settings.log);
    tessera::proxy::Process process(line.settings, [argc, argv] {
      return tessera::config::read_command_line(argc, argv, tessera::proxy::environment());
    });
    process.run();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "tessera-proxy: " << error.what() << '\n';
    return 1;
  }
}
