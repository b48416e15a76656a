#include "origin/options.h"

#include <map>

#include <CLI/CLI.hpp>

namespace tessera::origin {
namespace {

constexpr std::int64_t kMaxCourses = 1'000'000;
constexpr std::int64_t kMaxSlides = 100;
constexpr std::size_t kMaxThreads = 256;
constexpr std::int64_t kMaxRenderCost = 1'000'000;

const std::map<std::string, json::Escape> kEscapes = {
    {"html", json::Escape::html}, {"js", json::Escape::js}, {"none", json::Escape::none}};

CommandLine failure(std::string text) {
  CommandLine line;
  line.action = CommandLine::Action::fail;
  line.text = std::move(text);
  return line;
}

CommandLine parse(int argc, const char* const* argv) {
  CommandLine line;
  Options& options = line.options;
  CLI::App app{"The reference origin: courses and slides from SQLite, rendered as JSON in five ways",
               "tessera-origin"};
  std::string listen = "127.0.0.1:3042";
  std::string escape = "html";
  app.set_version_flag("--version", "tessera-origin " TESSERA_VERSION);
  app.add_option("--listen", listen, "Address and port; port 0 takes a free one")->capture_default_str();
  app.add_option("--db", options.database, "File, or :memory: for a temporary one")->capture_default_str();
  app.add_option("--courses", options.data_set.courses, "Courses in a new database")
      ->check(CLI::Range(std::int64_t{0}, kMaxCourses))
      ->capture_default_str();
  app.add_option("--slides", options.data_set.slides, "Slides of each course in a new database")
      ->check(CLI::Range(std::int64_t{0}, kMaxSlides))
      ->capture_default_str();
  app.add_option("--escape", escape, "What is escaped beyond JSON: html, js or none")
      ->check(CLI::IsMember(kEscapes))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Event loops; 0: one per core")
      ->check(CLI::Range(std::size_t{0}, kMaxThreads))
      ->capture_default_str();
  std::int64_t render_cost = 0;
  app.add_option(
         "--render-cost", render_cost,
         "Microseconds of processor time that each rendered course costs on top, as in a slower framework")
      ->check(CLI::Range(std::int64_t{0}, kMaxRenderCost))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    line.action = CommandLine::Action::exit;
    line.text = success.get_name() == "CallForVersion" ? app.version() + "\n" : app.help();
    return line;
  } catch (const CLI::ParseError& error) {
    return failure(std::string(error.what()) + "; see tessera-origin --help");
  }
  const std::optional<http::Address> address = http::parse_address(listen);
  if (!address) return failure("--listen: \"" + listen + "\" is no ADDRESS:PORT such as 127.0.0.1:3042");
  if (options.database.empty()) return failure("--db: a file name, or :memory:, is needed");
  options.listen = *address;
  options.render_cost = std::chrono::microseconds(render_cost);
  options.escape = kEscapes.at(escape);
  options.sizes_are_given = app.count("--courses") + app.count("--slides") > 0;
  return line;
}

}  // namespace

CommandLine read_command_line(int argc, const char* const* argv) {
  try {
    return parse(argc, argv);
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

}  // namespace tessera::origin
