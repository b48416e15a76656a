// Two connections joined: what one says, the other is told.
#pragma once

#include <chrono>
#include <cstdint>

#include "http/message.h"

namespace tessera::http {

struct Tunnelled {
  std::uint64_t to_client = 0;  // bytes
  std::uint64_t to_origin = 0;
  bool complete = false;  // both sides have said that they are done
};

// Ends when both sides have closed theirs, when one fails, or when no byte has moved for `idle`. An end is
// passed on by itself, so that the other direction may go on. Memory is two fixed buffers: the faster side
// waits. Both connections are to be destroyed afterwards.
Task<Tunnelled> join(Duplex& client, Duplex& origin, std::chrono::milliseconds idle);

}  // namespace tessera::http
