#include <algorithm>

#include "config/describe.h"
#include "config/validation.h"
#include "config/value_text.h"

namespace tessera::config {
namespace {

std::string check_words(std::string_view text, std::string_view words) {
  std::string listed;
  while (!words.empty()) {
    const auto word = words.substr(0, words.find('|'));
    if (word == text) return {};
    listed += (listed.empty() ? "\"" : "\", \"") + std::string(word);
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return "is not among " + listed + "\"";
}

std::string check_text(const Field& field, const std::string& text) {
  if (text.empty()) return field.required ? "may not be empty" : "";
  auto complaint = check_characters(text);
  if (complaint.empty() && !field.words.empty()) complaint = check_words(text, field.words);
  if (complaint.empty() && field.check) complaint = field.check(text);
  return complaint;
}

class FieldChecker {
 public:
  explicit FieldChecker(const SourceMap& sources) : sources_(sources) {}

  void enter(std::string section, std::string label) {
    section_ = std::move(section);
    label_ = std::move(label);
  }

  void operator()(const Field& field, const std::string& value) {
    const auto shown = to_toml_value(masked(value, field.secret));
    add(field, shown, check_text(field, value));
  }

  void operator()(const Field& field, const std::optional<std::string>& value) {
    if (value) (*this)(field, *value);
  }

  void operator()(const Field& field, const Texts& value) {
    if (value.empty() && field.required) add(field, "[]", "may not be empty");
    for (const auto& element : value) {
      add(field, to_toml_value(element),
          element.empty() ? "may not hold an empty text" : check_text(field, element));
    }
  }

  void operator()(const Field& field, const Names& value) {
    for (const auto& [name, text] : value) {
      const bool is_empty = name.empty() || text.empty();
      const auto complaint = is_empty ? "may not hold an empty text" : check_characters(name + text);
      add(field, to_toml_value(Names{{name, text}}), complaint);
    }
  }

  template <class T>
  void operator()(const Field& field, const T& value) {
    const auto size = magnitude(value);
    if (!size || (field.range.or_zero && *size == 0)) return;
    const bool is_within = *size >= field.range.low && *size <= field.range.high;  // false for NaN
    if (!is_within)
      add(field, to_toml_value(value), "is out of range; allowed is " + describe_range(field.range, value));
  }

  Faults take() { return std::move(faults_); }

 private:
  void add(const Field& field, const std::string& shown, const std::string& complaint) {
    const auto path = setting_path(section_, field.name);
    if (complaint.empty() || sources_.is_spoilt(path)) return;
    const auto assignment = label_ + std::string(field.name) + " = " + shown + " ";
    faults_.push_back({sources_.where(path), assignment + complaint});
  }

  const SourceMap& sources_;
  std::string section_;
  std::string label_;
  Faults faults_;
};

}  // namespace

Faults check_fields(const Settings& settings, const SourceMap& sources) {
  FieldChecker checker(sources);
  for_each_section(settings, [&](std::string_view name, const auto& section) {
    checker.enter(std::string(name), std::string(name) + ".");
    describe(checker, section);
  });
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    const auto& route = settings.routes[i];
    checker.enter(route_section(i), route_label(route.name, i) + ": ");
    describe(checker, route);
  }
  return checker.take();
}

}  // namespace tessera::config
