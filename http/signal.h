// Something that happens once and that coroutines of several event loops wait for.
#pragma once

#include <memory>

#include "http/task.h"

namespace tessera::http {

// Thread-safe. set() wakes every waiter on the waiter's own event loop; waiting after set()
// returns at once. A copy refers to the same signal.
class Signal {
 public:
  Signal();
  void set();
  bool is_set() const;
  // True when the signal was set, false when the deadline passed first (the waiter is then forgotten).
  Task<bool> wait(Deadline deadline) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::http
