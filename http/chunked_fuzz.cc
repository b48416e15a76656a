// The first byte says in what pieces the others arrive: whole and in pieces must come to the same. Only when
// the bytes end early may one have seen a fault that the other still waits for.
#include "http/chunked_fuzz.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "http/chunked.h"

namespace tessera::http {
namespace {

struct Outcome {
  std::string decoded;
  std::size_t used = 0;
  bool done = false;
};

Outcome decode(std::string_view bytes, std::size_t step, std::size_t room) {
  Outcome outcome;
  ChunkedDecoder decoder;
  std::string space(room, '\0');
  std::size_t given = std::min(step, bytes.size());
  while (!decoder.done()) {
    const auto result = decoder.decode(bytes.substr(outcome.used, given - outcome.used), space);
    if (!result) return outcome;
    outcome.used += result->consumed;
    outcome.decoded.append(space, 0, result->produced);
    if (result->consumed != 0 || result->produced != 0) continue;
    if (given == bytes.size()) break;
    given = std::min(given + step, bytes.size());
  }
  outcome.done = decoder.done();
  return outcome;
}

}  // namespace

void fuzz_chunked(std::string_view input) {
  if (input.size() < 2) return;
  const auto bytes = input.substr(1);
  const auto first = static_cast<unsigned char>(input.front());
  const auto whole = decode(bytes, bytes.size(), bytes.size() + 1);
  const auto pieces = decode(bytes, 1u + first % 8, 1u + first / 8);
  if (whole.done != pieces.done) std::abort();
  if (whole.done && (whole.decoded != pieces.decoded || whole.used != pieces.used)) std::abort();
}

}  // namespace tessera::http

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::http::fuzz_chunked({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
