#include "json/codec.h"

namespace tessera::json {

std::array<const Codec*, 3> all_codecs() {
  return {&yaml_codec(), &json_codec(), &msgpack_codec()};
}

const Codec* find_codec(std::string_view name) {
  for (const Codec* codec : all_codecs()) {
    if (codec->name() == name) return codec;
  }
  return nullptr;
}

}  // namespace tessera::json
