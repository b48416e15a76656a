// Notices clients that leave while they are being answered: an exchange that waits for its origin reads
// nothing, so nothing else would tell it before it writes.
#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "http/task_group.h"

namespace tessera::http {

class RequestBody;

// Belongs to one event loop. As long as exchanges are in progress it asks the kernel every kInterval, with
// one poll(2) for all of them that are older than that, whether their clients are still there; beginning and
// ending an exchange cost a few stores. What stays unread in a socket hides nothing: its end is asked for.
class DepartureWatch {
 public:
  static constexpr std::chrono::milliseconds kInterval{250};

  // An exchange in progress; linked between begin() and end(). Ends with its owner.
  class Exchange {
   public:
    explicit Exchange(Cancellation of_coroutine) : cancellation(std::move(of_coroutine)) {}
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    int socket = -1;
    std::chrono::steady_clock::time_point began{};
    // A client that has closed its side has left, unless what it sent before is still to be read.
    const RequestBody* body = nullptr;
    const Cancellation cancellation;  // of the coroutine that answers
    bool overdue = false;             // set when it was cancelled for its `limit`,
    bool departed = false;            // and because its client left

   private:
    friend class DepartureWatch;
    DepartureWatch* watch_ = nullptr;
    Exchange* before_ = nullptr;
    Exchange* after_ = nullptr;
  };

  // `limit`: the longest time for an exchange, looked at every kInterval; 0: any.
  DepartureWatch(boost::asio::any_io_executor executor, std::chrono::milliseconds limit);
  ~DepartureWatch();  // REQUIRED: no exchange is linked
  DepartureWatch(const DepartureWatch&) = delete;
  DepartureWatch& operator=(const DepartureWatch&) = delete;

  void set_limit(std::chrono::milliseconds limit) { limit_ = limit; }
  // Exchanges begin in the order of their `began`.
  void begin(Exchange& exchange);
  static void end(Exchange& exchange);

 private:
  struct Ticker;
  void tick();

  std::shared_ptr<Ticker> ticker_;
  std::chrono::milliseconds limit_;
  Exchange* first_ = nullptr;  // the oldest
  Exchange* last_ = nullptr;
  bool begun_ = false;  // one has begun since the last tick
};

}  // namespace tessera::http
