// OpenSSL 3 looks an algorithm up each time it is asked by name, and a context is an allocation: the
// algorithm is fetched once, and each thread keeps one context, so that a digest of a short text costs about
// its hashing.
#include "cache/digest.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace tessera::cache {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

struct FreeAlgorithm {
  void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
};

void check(bool done) {
  if (!done) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

const EVP_MD* sha256() {
  static const std::unique_ptr<EVP_MD, FreeAlgorithm> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  check(algorithm != nullptr);
  return algorithm.get();
}

void begin(EVP_MD_CTX* context) {
  check(EVP_DigestInit_ex2(context, sha256(), nullptr) == 1);
}

void update(EVP_MD_CTX* context, std::string_view bytes) {
  check(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
}

void update_part(EVP_MD_CTX* context, std::string_view part) {
  std::array<char, 8> length;
  std::uint64_t rest = part.size();
  for (char& byte : length) {
    byte = static_cast<char>(rest & 0xFFU);
    rest >>= 8U;
  }
  update(context, {length.data(), length.size()});
  update(context, part);
}

Digest cut(const unsigned char* whole) {
  Digest digest;
  std::copy_n(whole, digest.bytes.size(), digest.bytes.begin());
  return digest;
}

Digest end(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> whole;
  check(EVP_DigestFinal_ex(context, whole.data(), nullptr) == 1);
  return cut(whole.data());
}

// Each thread keeps one context for the next digest.
thread_local Context spare;

EVP_MD_CTX* take_context() {
  if (spare) return spare.release();
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  check(context != nullptr);
  return context;
}

void give_back(EVP_MD_CTX* context) {
  if (spare) {
    EVP_MD_CTX_free(context);
  } else {
    spare.reset(context);
  }
}

EVP_MD_CTX* as_context(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

std::string Digest::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4U]);
    text.push_back(kDigits[byte & 0xFU]);
  }
  return text;
}

Digest digest_of(std::string_view bytes) {
  DigestBuilder builder;
  builder.add(bytes);
  return builder.finish();
}

Digest digest_of_parts(std::initializer_list<std::string_view> parts) {
  DigestBuilder builder;
  for (const std::string_view part : parts) builder.add_part(part);
  return builder.finish();
}

Digest keyed_digest(std::string_view secret, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> whole;
  unsigned length = 0;
  const auto* message = reinterpret_cast<const unsigned char*>(bytes.data());
  check(HMAC(sha256(), secret.data(), static_cast<int>(secret.size()), message, bytes.size(), whole.data(),
             &length) != nullptr);
  return cut(whole.data());
}

DigestBuilder::DigestBuilder() : context_(take_context()) {
  begin(as_context(context_));
}

DigestBuilder::~DigestBuilder() {
  give_back(as_context(context_));
}

void DigestBuilder::add(std::string_view bytes) {
  update(as_context(context_), bytes);
}

void DigestBuilder::add_part(std::string_view part) {
  update_part(as_context(context_), part);
}

Digest DigestBuilder::finish() {
  return end(as_context(context_));
}

}  // namespace tessera::cache
