// 128 bits of SHA-256 (FIPS 180-4): names content and key spaces, the same in every sidecar.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera::cache {

struct Digest {
  std::array<unsigned char, 16> bytes{};
  bool operator==(const Digest&) const = default;
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  std::string hex() const;
};

Digest digest_of(std::string_view bytes);
// Each part goes in with its length before it, so that ("a", "bc") and ("ab", "c") differ.
Digest digest_of_parts(std::initializer_list<std::string_view> parts);
// HMAC (RFC 2104) with SHA-256, cut to 128 bits.
Digest keyed_digest(std::string_view secret, std::string_view bytes);

// A digest of bytes that come in pieces. One thread.
class DigestBuilder {
 public:
  DigestBuilder();
  ~DigestBuilder();
  DigestBuilder(const DigestBuilder&) = delete;
  DigestBuilder& operator=(const DigestBuilder&) = delete;
  void add(std::string_view bytes);      // no length: pieces of one string
  void add_part(std::string_view part);  // with its length before it
  Digest finish();                       // once

 private:
  void* context_;  // EVP_MD_CTX
};

}  // namespace tessera::cache
