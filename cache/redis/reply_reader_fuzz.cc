// Reads any bytes, whole and in pieces whose size the first byte says: both must come to the same.
#include "cache/redis/reply_reader_fuzz.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cache/redis/reply_reader.h"

namespace tessera::cache::redis {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  std::string shown;  // the replies
  bool failed = false;
  bool drained = false;
};

void show(const Reply& reply, std::string& to) {
  to += std::to_string(static_cast<int>(reply.kind)) + ' ' + std::to_string(reply.integer) + ' ' +
        std::to_string(reply.text.size()) + ' ' + reply.text + ' ' + std::to_string(reply.elements.size()) +
        '\n';
  for (const auto& element : reply.elements) show(element, to);
}

Outcome read(std::string_view bytes, std::size_t step) {
  ReplyReader::Limits limits;
  limits.reply.elements = 64;
  limits.reply.bytes = 4096;
  limits.reply.line = 256;
  limits.value = 1024;
  ReplyReader reader(limits);
  Outcome outcome;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    reader.feed(bytes.substr(0, step));
    for (Reply reply; reader.next(reply);) show(reply, outcome.shown);
    if (reader.status() != ReplyReader::Status::fine) break;
  }
  outcome.failed = reader.status() != ReplyReader::Status::fine;
  outcome.drained = reader.is_drained();
  return outcome;
}

}  // namespace

void fuzz_reply_reader(std::string_view input) {
  if (input.size() < 2) return;
  const auto bytes = input.substr(1);
  const auto whole = read(bytes, bytes.size());
  const auto pieces = read(bytes, 1u + static_cast<unsigned char>(input.front()));
  require(whole.failed == pieces.failed);
  // A fault behind complete replies is seen before them when all comes at once.
  if (!whole.failed) require(whole.shown == pieces.shown && whole.drained == pieces.drained);
}

}  // namespace tessera::cache::redis

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::cache::redis::fuzz_reply_reader({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
