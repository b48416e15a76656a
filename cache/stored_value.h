// The bytes of an L2 value (byte by byte in cache/README.md): magic, format, kind, checksum over key and
// content, born, version, Vary names, content. Whatever does not read back is Error::corrupt_value, that is,
// a miss.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cache/envelope.h"
#include "cache/fragment.h"

namespace tessera::cache {

std::string encode_fragment(std::string_view key, const Fragment& fragment,
                            const std::vector<std::string>& vary);
std::string encode_envelopes(std::string_view key, const EnvelopeSet& envelopes);

struct StoredFragment {
  FragmentPtr fragment;
  std::vector<std::string> vary;
};
// `id` is the one that was asked for: the value does not repeat it, the key's checksum vouches for it.
Result<StoredFragment> decode_fragment(std::string_view key, std::string_view value, const json::Id& id);
Result<EnvelopeSet> decode_envelopes(std::string_view key, std::string_view value);

}  // namespace tessera::cache
