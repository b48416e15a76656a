#include "config/describe.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/value_text.h"

namespace tessera::config {
namespace {

std::string replace_all(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    out.append(text.substr(0, at)).append(with);
    text.remove_prefix(at + what.size());
  }
  return out.append(text);
}

class HelpWriter {
 public:
  explicit HelpWriter(std::string& out) : out_(out) {}

  void enter(std::string_view section) {
    section_ = section;
    out_.append(section == "route" ? "\n[[route]]\n" : "\n[" + std::string(section) + "]\n");
  }

  template <class T>
  void operator()(const Field& field, const T& value) {
    out_.append("  ").append(field.name);
    if (is_unset(value)) {
      out_.append(" (unset)\n");
    } else if (field.required && to_toml_value(value) == "\"\"") {
      out_.append(" (required)\n");
    } else {
      out_.append(" = ").append(to_toml_value(value)).append("\n");
    }
    out_.append("      ").append(field.meaning).append("\n      ").append(form(field, value));
    if (section_ != "route") out_.append("; ").append(environment_name(section_, field.name));
    if (!field.flag.empty()) out_.append("; ").append(field.flag);
    out_.append("\n");
  }

 private:
  template <class T>
  static std::string form(const Field& field, const T& value) {
    std::string text(type_name(value));
    if (!field.words.empty()) text = "\"" + replace_all(field.words, "|", "\", \"") + "\"";
    if (!field.form.empty()) text.append(": ").append(field.form);
    const auto range = describe_range(field.range, value);
    return range.empty() ? text : text + ", " + range;
  }

  std::string& out_;
  std::string section_;
};

}  // namespace

std::string help_text() {
  std::string out =
      "Settings of tessera-proxy, each with its default. A file (--config FILE) sets them under their "
      "sections;\n"
      "the environment beats the file, the command line beats both. Durations are written \"50ms\", \"2s\", "
      "\"5m\",\n"
      "\"1h\" or \"1d\"; sizes \"64KiB\", \"256MiB\", \"1GiB\" or as plain bytes.\n";
  HelpWriter writer(out);
  const Settings defaults;
  for_each_section(defaults, [&](std::string_view name, const auto& section) {
    writer.enter(name);
    describe(writer, section);
  });
  writer.enter("route");
  const RouteSettings route;
  describe(writer, route);
  return out;
}

}  // namespace tessera::config
