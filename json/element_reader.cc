#include "json/element_reader.h"

#include <utility>

#include "json/sax.h"

namespace tessera::json {

std::string ScalarToken::text() const {
  if (!is_string()) return std::string(token);
  return decoded({token.substr(1, token.size() - 2), escaped});
}

Linkage linkage_of_next(Linkage parent, bool parent_is_array, std::string_view key) {
  switch (parent) {
    case Linkage::element:
      return key == "relationships" ? Linkage::relationships : Linkage::none;
    case Linkage::relationships:
      return parent_is_array ? Linkage::none : Linkage::relationship;
    case Linkage::relationship:
      return !parent_is_array && key == "data" ? Linkage::identifiers : Linkage::none;
    case Linkage::identifiers:
      return parent_is_array ? Linkage::identifier : Linkage::none;
    case Linkage::none:
    case Linkage::identifier:
      break;
  }
  return Linkage::none;
}

// Both sets begin with id and type, so that these have the same bits in both.
ElementReader::ElementReader(const CollectionShape& shape) : json_api_(shape.included.has_value()) {
  const Pointer type = Pointer::parse("/type").value();
  id_bit_ = record_.add(shape.id);
  resource_.add(Pointer::parse("/id").value());
  if (json_api_) {
    type_bit_ = record_.add(type);
    resource_.add(type);
  }
  if (shape.version) version_bit_ = record_.add(*shape.version);
}

void ElementReader::begin(std::size_t at, bool is_record) {
  begin_ = at;
  is_record_ = is_record;
  is_ambiguous_ = false;
  id_.reset();
  version_.reset();
  type_.clear();
  links_.clear();
}

void ElementReader::add(Mask ending, const ScalarToken& scalar) {
  using Type = ScalarToken::Type;
  if ((ending & id_bit_) != 0 && (scalar.is_string() || scalar.type == Type::number)) {
    id_ = Id{!scalar.is_string(), scalar.text()};
  }
  if ((ending & type_bit_) != 0 && scalar.is_string()) type_ = scalar.text();
  if ((ending & version_bit_) != 0 && scalar.type != Type::null) version_ = scalar.text();
}

void ElementReader::begin_identifier() {
  identifier_ = {};
}

void ElementReader::add_to_identifier(std::string_view key, const ScalarToken& scalar) {
  if (!scalar.is_string() && scalar.type != ScalarToken::Type::number) return;
  if (key == "type") {
    ++identifier_.types;
    identifier_.link.type = scalar.text();
  } else if (key == "id") {
    ++identifier_.ids;
    identifier_.link.id = scalar.text();
  }
}

void ElementReader::end_identifier() {
  if (identifier_.types == 1 && identifier_.ids == 1) links_.push_back(std::move(identifier_.link));
}

std::optional<RecordSlice> ElementReader::end_record(std::string_view document, std::size_t end) {
  if (is_ambiguous_ || !id_) return std::nullopt;
  return RecordSlice{document.substr(begin_, end - begin_), std::move(*id_), std::move(version_),
                     std::move(type_), std::move(links_)};
}

std::optional<ResourceSlice> ElementReader::end_resource(std::string_view document, std::size_t end) {
  if (is_ambiguous_ || !id_ || type_.empty()) return std::nullopt;
  return ResourceSlice{document.substr(begin_, end - begin_), std::move(type_), std::move(id_->text),
                       std::move(links_)};
}

}  // namespace tessera::json
