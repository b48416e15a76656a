// The command line, and the order of the sources: file, then environment, then flags. The only user of CLI11.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "config/describe.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/toml_reader.h"
#include "config/validation.h"
#include "config/value_text.h"
#include "config/version.h"

namespace tessera::config {
namespace {

constexpr std::size_t kLargestFile = 4u << 20;
constexpr int kPipePatience = 2'000;  // ms

struct Flags {
  std::optional<std::string> file;
  bool check = false;
  bool help = false;
  bool help_config = false;
  bool version = false;
  bool no_redis = false;
  std::map<std::string, std::string> settings;  // by flag: those that were given
  std::string help_text;
  Faults faults;
};

// What stands for an option's value in --help.
std::string_view placeholder(const std::string&) {
  return "ADDRESS";
}
std::string_view placeholder(const Texts&) {
  return "ADDRESS";
}
std::string_view placeholder(unsigned) {
  return "N";
}
std::string_view placeholder(Bytes) {
  return "SIZE";
}
template <class T>
std::string_view placeholder(const T&) {
  return "VALUE";
}

// What CLI11 could not make sense of. The word behind an unknown option is taken for its value.
void report_unknown(const std::vector<std::string>& words, const Texts& known, Faults& faults) {
  bool is_value = false;
  for (const auto& word : words) {
    const bool is_option = word.starts_with('-');
    if (is_option || !is_value) {
      const auto name = word.substr(0, word.find('='));
      const auto guess = is_option ? nearest(name, known) : "";
      faults.push_back({name, guess.empty() ? "is not understood; --help lists the options"
                                            : "there is no such option; did you mean " + guess + "?"});
    }
    is_value = is_option;
  }
}

Flags parse_flags(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app(
      "A caching sidecar for JSON APIs: answers collections from per-record fragments, never older than the "
      "request.",
      "tessera-proxy");
  app.set_help_flag();
  app.allow_extras();
  std::string file;
  auto* file_option =
      app.add_option("--config", file, "Settings file (TOML); without it the course demo is served")
          ->type_name("FILE");
  app.add_flag("--check", flags.check, "Validate the settings, print those in effect and end");
  app.add_flag("--help-config", flags.help_config,
               "Print every setting with default, range and meaning and end");
  app.add_flag("--version", flags.version, "Print the version and end");
  app.add_flag("-h,--help", flags.help, "Print this and end");
  Texts known{"--config", "--check", "--help-config", "--version", "--help", "--no-redis"};
  std::map<std::string, std::string> texts;
  Settings defaults;
  for_each_setting(defaults, [&](std::string_view, const Field& field, const auto& value) {
    if (field.flag.empty()) return;
    const std::string flag(field.flag);
    known.push_back(flag);
    app.add_option(flag, texts[flag], std::string(field.meaning))->type_name(std::string(placeholder(value)));
  });
  app.add_flag("--no-redis", flags.no_redis, "Leave Redis out, whatever file and environment say");
  flags.help_text = app.help();
  try {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
    report_unknown(app.remaining(), known, flags.faults);
  } catch (const CLI::ParseError& error) {
    flags.faults.push_back({"command line", error.what()});
    return flags;
  }
  if (file_option->count() != 0) flags.file = file;
  for (const auto& [flag, text] : texts) {
    if (app.get_option(flag)->count() != 0) flags.settings.emplace(flag, text);
  }
  return flags;
}

struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int number;
};

// The whole file; a fault when it cannot be read. Without O_NONBLOCK a pipe that nobody writes to would hold
// up a process that reads its settings anew.
std::optional<std::string> read_file(const std::string& name, Faults& faults) {
  const auto refuse = [&](const std::string& cause) {
    faults.push_back({"--config " + name, "cannot be read: " + cause + "; name a file that can"});
    return std::nullopt;
  };
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) return refuse(std::strerror(errno));
  std::string text;
  std::array<char, 16 * 1024> buffer{};
  // A pipe that nobody has opened to write to reads as an empty one; its writer may be about to come.
  bool waits = S_ISFIFO(status.st_mode);
  for (;;) {
    pollfd more{file.number, POLLIN, 0};
    if (waits && ::poll(&more, 1, kPipePatience) == 0) return refuse("nothing comes out of it");
    const auto got = ::read(file.number, buffer.data(), buffer.size());
    waits = got < 0 && errno == EAGAIN;
    if (waits || (got < 0 && errno == EINTR)) continue;
    if (got < 0) return refuse(std::strerror(errno));
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kLargestFile) return refuse("it is larger than 4 MiB");
    if (got == 0) break;
  }
  // What a shell writes into a pipe can be read once; settings that were read anew would be the defaults.
  if (text.empty() && S_ISFIFO(status.st_mode)) return refuse("it is a pipe with nothing in it");
  return text;
}

Faults read_flags(const Flags& flags, Settings& settings, SourceMap& sources) {
  Faults faults;
  for_each_setting(settings, [&](std::string_view section, const Field& field, auto& value) {
    const auto given = flags.settings.find(std::string(field.flag));
    if (field.flag.empty() || given == flags.settings.end()) return;
    const auto path = setting_path(section, field.name);
    sources.note(path, given->first);
    const auto complaint = read_text(given->second, value);
    if (complaint.empty()) return;
    sources.spoil(path);
    faults.push_back({given->first, "\"" + masked(given->second, field.secret) + "\" " + complaint});
  });
  if (!flags.no_redis) return faults;
  settings.redis.address.clear();
  if (flags.settings.contains("--redis")) {
    faults.push_back({"--no-redis", "contradicts --redis; leave one of them out"});
  }
  return faults;
}

void append(Faults& faults, Faults more) {
  std::move(more.begin(), more.end(), std::back_inserter(faults));
}

void load(const Flags& flags, const Environment& environment, CommandLine& line) {
  auto faults = flags.faults;
  const std::string file_name = flags.file.value_or("built-in configuration");
  SourceMap sources(file_name);
  const auto text = flags.file ? read_file(*flags.file, faults) : std::string(default_toml());
  if (text) append(faults, read_toml(*text, file_name, line.settings, sources));
  append(faults, read_environment(environment, line.settings, sources));
  append(faults, read_flags(flags, line.settings, sources));
  append(faults, check_fields(line.settings, sources));
  append(faults, check_clashes(line.settings, sources));
  if (faults.empty()) {
    line.action = flags.check ? CommandLine::Action::check : CommandLine::Action::run;
    if (flags.check) line.output = to_toml(line.settings);
    return;
  }
  line.action = CommandLine::Action::fail;
  line.output = "tessera-proxy: not started, " + std::to_string(faults.size()) +
                (faults.size() == 1 ? " fault in the settings:\n" : " faults in the settings:\n");
  for (const auto& fault : faults) line.output += "  " + to_string(fault) + "\n";
  line.faults = std::move(faults);
}

CommandLine read(int argc, const char* const* argv, const Environment& environment) {
  CommandLine line;
  const auto flags = parse_flags(argc, argv);
  if (flags.help) {
    line.action = CommandLine::Action::help;
    line.output = flags.help_text;
  } else if (flags.version) {
    line.action = CommandLine::Action::version;
    line.output = "tessera-proxy " + std::string(kVersion) + "\n";
  } else if (flags.help_config) {
    line.action = CommandLine::Action::help_config;
    line.output = config::help_text();
  } else {
    load(flags, environment, line);
  }
  return line;
}

}  // namespace

CommandLine read_command_line(int argc, const char* const* argv, const Environment& environment) {
  try {
    return read(argc, argv, environment);
  } catch (const std::exception& error) {
    CommandLine line;
    line.action = CommandLine::Action::fail;
    line.output = "tessera-proxy: not started: " + std::string(error.what()) + "\n";
    line.faults.push_back({"settings", error.what()});
    return line;
  }
}

}  // namespace tessera::config
