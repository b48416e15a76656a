// The workers of all event loops, and of services that were replaced and have not ended yet.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "proxy/worker.h"

namespace tessera::proxy {

// Thread-safe.
class Workers {
 public:
  void add(Worker* worker) {
    const std::lock_guard lock(mutex_);
    workers_.push_back(worker);
  }
  // Takes the worker out unless something has been spawned on it; on its event loop. Once it is out nobody
  // spawns anything on it any more.
  bool remove_if_idle(Worker* worker) {
    const std::lock_guard lock(mutex_);
    if (worker->tasks.running() != 0) return false;
    std::erase(workers_, worker);
    return true;
  }
  // On any thread. `visit` may spawn on a worker's tasks, and must not wait.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (Worker* worker : workers_) visit(*worker);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Worker*> workers_;
};

}  // namespace tessera::proxy
