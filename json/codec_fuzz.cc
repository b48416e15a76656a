// Any bytes to a decoder. What it takes is a JSON document that every codec keeps: stored and decoded again,
// the document is the same.
#include "json/codec_fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "json/codec.h"

namespace tessera::json {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string decoded(const Codec& codec, std::string_view stored) {
  Writer json(Escape::none);
  require(codec.decode(stored, json).has_value() && json.is_valid());
  return json.take();
}

void fuzz(const Codec& codec, std::string_view input) {
  Writer json(Escape::none);
  if (const Result<void> read = codec.decode(input, json); !read) {
    require(!read.error().message().empty());
    return;
  }
  require(json.is_valid());
  const std::string document = json.take();
  const Result<std::string> stored = codec.encode(document);
  require(stored.has_value());
  const std::string again = decoded(codec, *stored);
  const Result<std::string> settled = codec.encode(again);  // exponents may have got YAML's form
  require(settled.has_value() && *settled == *stored && decoded(codec, *settled) == again);
  for (const Codec* other : all_codecs()) {
    const Result<std::string> kept = other->encode(document);
    if (!kept) {  // integers beyond 64 bits
      require(kept.error() == Error::number_not_kept && other == &msgpack_codec());
      continue;
    }
    Writer back(Escape::none);
    require(other->decode(*kept, back).has_value());
  }
}

}  // namespace

void fuzz_codecs(std::string_view input) {
  if (input.empty()) return;
  const auto codecs = all_codecs();
  fuzz(*codecs[static_cast<unsigned char>(input.front()) % codecs.size()], input.substr(1));
}

}  // namespace tessera::json

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::json::fuzz_codecs({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
