#include "tests/json/model_origin.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tessera::json {
namespace {

// The inside of a JSON string, of what commonly goes wrong in one.
std::string random_text(std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {"plain text ",
                                                   "\\\"",
                                                   "\\\\",
                                                   "\\u003c",
                                                   "\xC3\xA9",
                                                   "\xE2\x80\xA8",
                                                   "\xF0\x9F\x98\x80",
                                                   "\\ud83d\\ude00",
                                                   "{\\\"id\\\":1}",
                                                   "[1,2]",
                                                   "],",
                                                   "0123456789012345678901234567890123456789",
                                                   "\\n",
                                                   ""};
  std::string text;
  for (std::size_t count = random() % 5; count > 0; --count) text += kPieces[random() % kPieces.size()];
  return text;
}

std::string random_number(std::mt19937_64& random) {
  static const std::vector<std::string> kNumbers = {"0",   "-0.0", "1.10", "18446744073709551617", "1e5",
                                                    "-17", "null", "true", "0.30000000000000004"};
  return kNumbers[random() % kNumbers.size()];
}

std::vector<std::size_t> random_choice(std::mt19937_64& random, std::size_t from, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t count = from == 0 ? 0 : random() % (most + 1); count > 0; --count) {
    const std::size_t index = random() % from;
    if (std::find(chosen.begin(), chosen.end(), index) == chosen.end()) chosen.push_back(index);
  }
  return chosen;
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

ModelOrigin::ModelOrigin(std::mt19937_64& random, Layout layout, std::size_t records) : layout_(layout) {
  static const std::vector<std::string> kGaps = {"", " ", "\n  ", "\r\n\t"};
  gap_ = kGaps[random() % kGaps.size()];
  has_meta_ = random() % 2 == 0;
  const bool numbers = random() % 2 == 0 && layout != Layout::json_api;
  if (layout == Layout::json_api) {
    resources_.resize(records * 2);
    for (Resource& resource : resources_) {
      resource.text = random_text(random);
      resource.resources = random_choice(random, resources_.size(), 1);
    }
  }
  for (std::size_t i = 0; i < records; ++i) {
    Record& record = records_.emplace_back();
    record.id = {numbers, std::to_string(i * 7 + 1)};
    record.text = random_text(random);
    record.resources = random_choice(random, resources_.size(), 3);
  }
}

ModelOrigin ModelOrigin::any(std::mt19937_64& random) {
  const auto layout = static_cast<Layout>(random() % 4);
  return ModelOrigin(random, layout, random() % 12);
}

CollectionShape ModelOrigin::shape() const {
  CollectionShape shape;
  if (layout_ == Layout::nested) shape.array = array_pointer();
  shape.id = Pointer::parse("/id").value();
  if (layout_ == Layout::json_api) shape.included = Pointer::parse("/included").value();
  return shape;
}

Pointer ModelOrigin::array_pointer() const {
  switch (layout_) {
    case Layout::bare:
      return {};
    case Layout::enveloped:
      return Pointer::parse("/courses").value();
    case Layout::nested:
      return Pointer::parse("/result/items").value();
    case Layout::json_api:
      return Pointer::parse("/data").value();
  }
  return {};
}

std::vector<std::string_view> ModelOrigin::member_names() const {
  std::vector<std::string_view> names;
  if (layout_ == Layout::nested) names.emplace_back("/result/total");
  if (has_meta_ && layout_ != Layout::bare) names.emplace_back("meta");
  return names;
}

std::string ModelOrigin::joined(const std::vector<std::string>& elements) const {
  std::string text;
  for (const std::string& element : elements) {
    text += (text.empty() ? gap_ : "," + gap_) + element;
  }
  return text + gap_;
}

std::string ModelOrigin::object(const std::vector<std::pair<std::string, std::string>>& members) const {
  std::vector<std::string> texts;
  for (const auto& [name, value] : members) texts.push_back(quoted(name) + ":" + gap_ + value);
  return "{" + joined(texts) + "}";
}

std::string ModelOrigin::linkage(const std::vector<std::size_t>& resources) const {
  std::vector<std::string> identifiers;
  for (const std::size_t index : resources) {
    identifiers.push_back(object({{"id", quoted(std::to_string(index))}, {"type", quoted("slide")}}));
  }
  return object({{"slides", object({{"data", "[" + joined(identifiers) + "]"}})}});
}

std::string ModelOrigin::record_text(std::size_t index) const {
  const Record& record = records_[index];
  std::vector<std::pair<std::string, std::string>> members = {
      {"id", record.id.number ? record.id.text : quoted(record.id.text)},
      {"version", std::to_string(record.version)},
      {"title", quoted(record.text)},
      {"nested", object({{"id", "[1, {}]"}})}};
  if (layout_ == Layout::json_api) {
    members.insert(members.begin() + 1, {"type", quoted("course")});
    members.emplace_back("relationships", linkage(record.resources));
  }
  return object(members);
}

std::string ModelOrigin::resource_text(std::size_t index) const {
  return object({{"id", quoted(std::to_string(index))},
                 {"type", quoted("slide")},
                 {"content", quoted(resources_[index].text)},
                 {"relationships", linkage(resources_[index].resources)}});
}

std::vector<std::size_t> ModelOrigin::reached(std::span<const std::size_t> order) const {
  std::vector<std::size_t> found;
  std::set<std::size_t> seen;
  const auto visit = [&](const auto& self, const std::vector<std::size_t>& resources) -> void {
    for (const std::size_t index : resources) {
      if (!seen.insert(index).second) continue;
      found.push_back(index);
      self(self, resources_[index].resources);
    }
  };
  for (const std::size_t index : order) visit(visit, records_[index].resources);
  return found;
}

std::string ModelOrigin::meta(std::span<const std::size_t> order) const {
  std::uint64_t sum = 0;
  for (const std::size_t index : order) sum += records_[index].version;
  return object({{"count", std::to_string(order.size())}, {"sum", std::to_string(sum)}});
}

std::string ModelOrigin::render(std::span<const std::size_t> order) const {
  std::vector<std::string> texts;
  for (const std::size_t index : order) texts.push_back(record_text(index));
  const std::string array = "[" + joined(texts) + "]";
  if (layout_ == Layout::bare) return gap_ + array + gap_;

  std::vector<std::pair<std::string, std::string>> members;
  if (layout_ == Layout::enveloped) members.emplace_back("courses", array);
  if (layout_ == Layout::nested) {
    members.emplace_back("result", object({{"total", std::to_string(order.size())}, {"items", array}}));
  }
  if (layout_ == Layout::json_api) members.emplace_back("data", array);
  if (has_meta_) members.emplace_back("meta", meta(order));
  if (layout_ == Layout::json_api) {
    std::vector<std::string> included;
    for (const std::size_t index : reached(order)) included.push_back(resource_text(index));
    members.emplace_back("included", "[" + joined(included) + "]");
  }
  return object(members);
}

std::string ModelOrigin::render_all() const {
  return render(all_of(records_.size()));
}

std::string ModelOrigin::version(std::size_t index) const {
  return "v" + std::to_string(records_[index].version);
}

std::string ModelOrigin::manifest(std::span<const std::size_t> order) const {
  std::string text = R"({"schema":"s1","records":[)";
  for (const std::size_t index : order) {
    if (text.back() == ']') text += ',';
    const Id& id = records_[index].id;
    text += "[" + (id.number ? id.text : quoted(id.text)) + "," + quoted(version(index)) + "]";
  }
  text += R"(],"members":{)";
  if (layout_ == Layout::nested) text += R"("/result/total":)" + std::to_string(order.size());
  if (has_meta_ && layout_ == Layout::nested) text += ",";
  if (has_meta_) text += R"("meta":)" + meta(order);
  return text + "}}";
}

void ModelOrigin::change(std::mt19937_64& random, std::size_t index) {
  Record& record = records_[index];
  ++record.version;
  record.text = random_text(random) + random_number(random);
  if (random() % 4 == 0) record.resources = random_choice(random, resources_.size(), 3);
}

}  // namespace tessera::json
