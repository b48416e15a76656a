#include "config/toml_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "config/describe.h"
#include "config/toml_nesting.h"
#include "config/value_text.h"

namespace tessera::config {
namespace {

// Each reads a node into a value; "" or what stands behind the value in a fault.
template <class T>
std::string read_node(const toml::node& node, T& value) {
  const auto* text = node.as_string();
  if (!text) return "must be a text in quotes";
  return read_text(text->get(), value);
}

std::string read_node(const toml::node& node, bool& value) {
  const auto* given = node.as_boolean();
  if (!given) return "must be true or false, without quotes";
  value = given->get();
  return {};
}

std::string read_node(const toml::node& node, unsigned& value) {
  const auto* given = node.as_integer();
  if (!given) return "must be a whole number, without quotes";
  if (given->get() < 0) return "may not be negative";
  if (given->get() > std::numeric_limits<unsigned>::max()) return "is too large";
  value = static_cast<unsigned>(given->get());
  return {};
}

std::string read_node(const toml::node& node, double& value) {
  const auto given = node.value<double>();
  if (!node.is_number() || !given) return "must be a number, without quotes";
  value = *given;
  return {};
}

std::string read_node(const toml::node& node, Millis& value) {
  const auto* text = node.as_string();
  return read_text(text ? std::string_view(text->get()) : std::string_view(), value);
}

std::string read_node(const toml::node& node, Bytes& value) {
  const auto* number = node.as_integer();
  if (number && number->get() >= 0) {
    value = Bytes{static_cast<std::uint64_t>(number->get())};
    return {};
  }
  const auto* text = node.as_string();
  return read_text(text ? std::string_view(text->get()) : std::string_view(), value);
}

std::string read_node(const toml::node& node, Texts& value) {
  const auto* array = node.as_array();
  const std::string form = "must be a list of texts, as [\"page\", \"sort\"]";
  if (const auto* lone = node.as_string()) {
    value = {lone->get()};  // a list of one needs no brackets
    return {};
  }
  if (!array) return form;
  Texts texts;
  for (const auto& element : *array) {
    const auto* text = element.as_string();
    if (!text) return form;
    texts.push_back(text->get());
  }
  value = std::move(texts);
  return {};
}

std::string read_node(const toml::node& node, Names& value) {
  const auto* table = node.as_table();
  const std::string form = "must be a table of texts, as { slide = \"fast_slide\" }";
  if (!table) return form;
  Names names;
  for (const auto& [key, element] : *table) {
    const auto* text = element.as_string();
    if (!text) return form;
    names[std::string(key.str())] = text->get();
  }
  value = std::move(names);
  return {};
}

// The value as the file has it, for a fault; shortened.
std::string show(const toml::node& node) {
  if (const auto* string = node.as_string()) return to_toml_value(string->get());
  std::ostringstream out;
  node.visit([&](const auto& each) { out << each; });
  auto text = out.str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

class Reader {
 public:
  Reader(std::string_view file_name, SourceMap& sources) : file_name_(file_name), sources_(sources) {}

  void read(const toml::table& root, Settings& settings) {
    Texts sections{"route"};
    for_each_section(settings, [&](std::string_view name, auto& section) {
      sections.emplace_back(name);
      if (const auto* node = root.get(name)) read_section(name, *node, section);
    });
    if (const auto* node = root.get("route")) read_routes(*node, settings.routes);
    for (const auto& [key, node] : root) {
      if (std::find(sections.begin(), sections.end(), key.str()) != sections.end()) continue;
      const auto guess = nearest(key.str(), sections);
      add(key.source(),
          "there is no section [" + std::string(key.str()) + "]; " +
              (guess.empty() ? "known are " + join(sections) : "did you mean " + in_brackets(guess) + "?"));
    }
  }

  void add(const toml::source_region& source, std::string text) { add(source.begin.line, std::move(text)); }

  void add(std::uint32_t line, std::string text) {
    faults_.emplace_back(line, Fault{place(line), std::move(text)});
  }

  // In the order of the file.
  Faults take() {
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Faults faults;
    for (auto& [line, fault] : faults_) faults.push_back(std::move(fault));
    return faults;
  }

 private:
  std::string place(std::uint32_t line) const { return file_name_ + ":" + std::to_string(line); }

  static std::string in_brackets(const std::string& section) {
    return section == "route" ? "[[route]]" : "[" + section + "]";
  }

  static std::string join(const Texts& texts) {
    std::string out;
    for (const auto& text : texts) out += (out.empty() ? "" : ", ") + text;
    return out;
  }

  // What faults call a section, and what they put before a setting's name.
  struct Title {
    std::string section;  // "[redis]", `route "courses"`
    std::string prefix;   // "redis.", `route "courses": `
  };

  template <class Section>
  void read_section(std::string_view name, const toml::node& node, Section& section) {
    const std::string word(name);
    const Title title{"[" + word + "]", word + "."};
    if (const auto* table = node.as_table()) return read_table(word, title, *table, section);
    add(node.source(), word + " must be a section: write " + title.section + " on a line of its own");
  }

  void read_routes(const toml::node& node, std::vector<RouteSettings>& routes) {
    const auto* array = node.as_array();
    if (!array || !array->is_homogeneous(toml::node_type::table)) {
      return add(node.source(), "routes are a list: write [[route]], with two brackets, before each");
    }
    for (const auto& element : *array) {
      const auto& table = *element.as_table();
      const auto index = routes.size();
      const auto label = route_label(table["name"].value_or(std::string_view()), index);
      const Title title{label, label + ": "};
      read_table(route_section(index), title, table, routes.emplace_back());
    }
  }

  template <class Section>
  void read_table(const std::string& path, const Title& title, const toml::table& table, Section& section) {
    sources_.note(path, place(table.source().begin.line));
    Texts known;
    const auto field_visitor = [&](const Field& field, auto& value) {
      known.emplace_back(field.name);
      const auto* node = table.get(field.name);
      if (!node) return;
      const auto setting = setting_path(path, field.name);
      sources_.note(setting, place(node->source().begin.line));
      const auto complaint = read_node(*node, value);
      if (complaint.empty()) return;
      sources_.spoil(setting);
      const auto shown = field.secret == Secret::no ? show(*node) : "\"" + std::string(kMask) + "\"";
      add(node->source(), title.prefix + std::string(field.name) + " = " + shown + " " + complaint);
    };
    describe(field_visitor, section);
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const auto guess = nearest(key.str(), known);
      add(key.source(), title.section + " has no setting " + std::string(key.str()) + "; " +
                            (guess.empty() ? "known are " + join(known) : "did you mean " + guess + "?"));
    }
  }

  std::string file_name_;
  SourceMap& sources_;
  std::vector<std::pair<std::uint32_t, Fault>> faults_;
};

}  // namespace

Faults read_toml(std::string_view text, std::string_view file_name, Settings& settings, SourceMap& sources) {
  Reader reader(file_name, sources);
  if (const auto line = line_that_nests_too_deep(text)) {
    reader.add(*line, "nests deeper than " + std::to_string(kDeepest) + " levels; no setting is that deep");
    return reader.take();
  }
  try {
    const auto root = toml::parse(text, file_name);
    reader.read(root, settings);
  } catch (const toml::parse_error& error) {
    reader.add(error.source(), "this is not TOML: " + std::string(error.description()));
  }
  return reader.take();
}

}  // namespace tessera::config
