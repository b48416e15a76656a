// The first byte says in what pieces the others arrive: whole and in pieces must come to the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cache/redis/reply_reader.h"

namespace {

using tessera::cache::redis::Reply;
using tessera::cache::redis::ReplyReader;

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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = read(bytes, bytes.size());
  const auto pieces = read(bytes, 1u + data[0]);
  if (whole.failed != pieces.failed) std::abort();
  // A fault behind complete replies is seen before them when all comes at once.
  if (!whole.failed && (whole.shown != pieces.shown || whole.drained != pieces.drained)) std::abort();
  return 0;
}
