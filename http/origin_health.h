// Whether one of several origins is to be asked.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace tessera::http {

// Thread-safe; time is given by the caller. Two things take an origin out: failures of requests (passive),
// for a while that doubles each time in a row, and failed health checks (active), until they succeed again.
class OriginHealth {
 public:
  using Now = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLongestEjection{60};
  static constexpr std::chrono::seconds kLongestRest{60};

  enum class State : unsigned char {
    up,
    ejected,    // too many failures in a row
    resting,    // a 503 asked for it (Retry-After)
    unhealthy,  // its health checks fail
  };
  State state(Now now) const;
  bool is_up(Now now) const { return state(now) == State::up; }

  // A response came, whatever its status. True when failures had come before.
  bool answered();
  // The number of failures in a row, this one included.
  unsigned failed();

  // Takes it out. One more failure afterwards is due for the next ejection. False: it is out already.
  bool eject(Now now, std::chrono::milliseconds base);
  void rest(Now now, std::chrono::seconds length);  // bounded by kLongestRest

  // The result of an active check; one caller at a time. True when it changed whether the origin is healthy.
  bool checked(bool good, unsigned healthy_after, unsigned unhealthy_after);

 private:
  std::atomic<unsigned> failures_{0};
  std::atomic<Now::rep> out_until_{0};
  std::atomic<bool> rests_{false};  // the reason for out_until_
  std::atomic<bool> healthy_{true};
  unsigned checks_ = 0;  // in a row, against healthy_; of the checker alone
  std::mutex mutex_;
  unsigned ejections_ = 0;  // in a row; protected by mutex_
};

const char* to_string(OriginHealth::State state);

}  // namespace tessera::http
