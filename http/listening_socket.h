// A listening TCP socket as a descriptor: opened here, or inherited from another process.
#pragma once

#include <string>
#include <utility>

#include "http/server.h"

namespace tessera::http {

// Owns the descriptor. The socket itself lives, with every connection in its queue, as long as any process
// holds a descriptor of it.
class ListeningSocket {
 public:
  // Takes over a descriptor. Throws std::runtime_error when it is no listening TCP socket; it is closed then.
  explicit ListeningSocket(int descriptor);
  // Opens, binds and listens (SO_REUSEPORT). Throws std::runtime_error with a sentence that names the address
  // and the cause. Port 0 takes a free port.
  explicit ListeningSocket(const Address& address);
  ~ListeningSocket();
  ListeningSocket(ListeningSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ListeningSocket& operator=(ListeningSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int descriptor() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  Address local_address() const;
  // Another descriptor of the same socket: both accept from one queue.
  ListeningSocket duplicate() const;

 private:
  struct Owned {
    int descriptor;
  };
  explicit ListeningSocket(Owned owned) : descriptor_(owned.descriptor) {}

  int descriptor_ = -1;
};

}  // namespace tessera::http
