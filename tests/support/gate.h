// A gate at which threads wait until a test opens it: races are staged, never timed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace tessera::test {

// Thread-safe. Closed at first.
class Gate {
 public:
  // Waits until the gate is open, or until kLimit has passed so that a failed test still ends; false then.
  bool pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    ++arrived_;
    changed_.notify_all();
    const bool opened = changed_.wait_for(lock, kLimit, [this] { return open_; });
    --waiting_;
    return opened;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

  // Waits until `count` threads stand at the gate; false when they have not come within kLimit.
  bool wait_for_waiting(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLimit, [&] { return waiting_ >= count; });
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

  // How many have come so far, those that have passed included.
  std::size_t arrived() const {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

  static constexpr std::chrono::seconds kLimit{20};

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::size_t waiting_ = 0;
  std::size_t arrived_ = 0;
};

}  // namespace tessera::test
