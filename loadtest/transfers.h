// Bodies far larger than any buffer, through the pass route: the same bytes on the other side, and memory
// that does not grow with them.
#pragma once

#include <cstdint>

namespace tessera::loadtest {

struct TransferOptions {
  std::uint64_t mebibytes = 1'024;
};

// Down and up, each once with a length and once in chunks. Prints SHA-256 of both sides and the proxy's
// resident memory; returns 0 when the digests agree and memory grew by less than 16 MiB, else 1.
int run_transfers(const TransferOptions& options);

}  // namespace tessera::loadtest
