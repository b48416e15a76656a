// Slices any bytes, and compares with RapidJSON's own document. The first byte chooses the shape.
#include "json/slicer_fuzz.h"

#include <cstdlib>
#include <iterator>
#include <string>

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

#include "json/slicer.h"

namespace tessera::json {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const char* const kArrays[] = {nullptr, "", "/courses", "/data", "/a/b", "/1/data"};

// Where RapidJSON's document has the array; null when it has none there. (Its own pointers end names at a
// NUL.)
const rapidjson::Value* array_in(const rapidjson::Document& document, const Pointer& pointer) {
  const rapidjson::Value* value = &document;
  for (const std::string& token : pointer.tokens()) {
    if (value->IsArray()) {
      const std::size_t index = std::stoul(token);
      if (index >= value->Size()) return nullptr;
      value = &(*value)[static_cast<rapidjson::SizeType>(index)];
    } else {
      if (!value->IsObject()) return nullptr;
      const auto member =
          value->FindMember(rapidjson::Value(rapidjson::StringRef(token.data(), token.size())));
      if (member == value->MemberEnd()) return nullptr;
      value = &member->value;
    }
  }
  return value->IsArray() ? value : nullptr;
}

void compare(std::string_view text, const Result<CollectionSlice>& slice) {
  rapidjson::Document document;
  // Not from the bytes at once: then RapidJSON would skip the parts of a byte order mark.
  rapidjson::MemoryStream stream(text.data(), text.size());
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  document.ParseStream<kFlags>(stream);
  if (slice.has_error()) {
    // RapidJSON takes NUL for the end of the input, and lets lone low surrogates pass.
    const bool is_known = text.find('\0') != text.npos || text.find("\\u") != text.npos;
    require(slice.error() != Error::malformed || document.HasParseError() || is_known);
    return;
  }
  if (document.GetParseError() == rapidjson::kParseErrorNumberTooBig) return;
  require(!document.HasParseError());
  const rapidjson::Value* array = array_in(document, slice->array_pointer);
  require(array != nullptr && array->Size() == slice->records.size());
  const char* position = slice->array.data() + 1;
  for (const RecordSlice& record : slice->records) {
    require(record.bytes.data() >= position && record.bytes.front() == '{' && record.bytes.back() == '}');
    position = record.bytes.data() + record.bytes.size();
  }
  require(position < slice->array.data() + slice->array.size());
}

}  // namespace

void fuzz_slicer(std::string_view input) {
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input.front());
  const char* array = kArrays[choice % std::size(kArrays)];
  CollectionShape shape;
  if (array != nullptr) shape.array = Pointer::parse(array).value();
  shape.id = Pointer::parse((choice & 0x40U) != 0 ? "/attributes/id" : "/id").value();
  shape.version = Pointer::parse("/attributes/version").value();
  if ((choice & 0x80U) != 0) shape.included = Pointer::parse("/included").value();
  const std::string_view document = input.substr(1);
  compare(document, slice_collection(document, shape));
}

}  // namespace tessera::json

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tessera::json::fuzz_slicer({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
