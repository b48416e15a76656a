// The connections of one event loop to one Redis, and the breaker before them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "cache/redis/backoff.h"
#include "cache/redis/connection.h"
#include "cache/redis/counters.h"
#include "cache/redis/stream.h"
#include "cache/redis/wait_list.h"

namespace tessera::cache::redis {

// Belongs to one event loop; held by shared_ptr, which its coroutines share.
//
// Closed breaker ("here"): exchanges use idle connections; when none is idle a further one is opened in the
// background, up to the limit. Open breaker ("away"): every call fails at once, and one coroutine tries to
// connect, with back-off. It opens when an exchange times out, breaks or brings nonsense or READONLY (a
// failover: the name may lead elsewhere now), or when the only connection cannot be made; it closes as soon
// as a new connection has been greeted.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(boost::asio::any_io_executor executor, std::shared_ptr<const ConnectionSettings> settings,
       StreamFactory streams, std::size_t max_connections, std::shared_ptr<Counters> counters);

  // Begins to connect. `on_away` is called whenever the breaker opens.
  void start(std::function<void()> on_away);
  // Closes everything; what waits ends soon, as unavailable or disconnected.
  void stop();

  enum class Patience : unsigned char {
    command,   // waits for a free connection as long as a command may take, then has that time anew
    deadline,  // waits for a free connection until the deadline, then has ten times a command's time: for
               // what no request waits for
  };
  // One exchange on a connection of its own. Besides an exchange's faults: unavailable. A fault has been
  // counted.
  boost::asio::awaitable<Exchange> call(Request request, Deadline deadline, Patience patience);

  bool is_away() const { return away_; }
  bool is_stopped() const { return stopped_; }
  const boost::asio::any_io_executor& executor() const { return executor_; }

 private:
  using ConnectionPtr = std::shared_ptr<Connection>;
  class Lease;

  boost::asio::awaitable<RemoteFault> acquire(Lease& lease, Deadline deadline);
  ConnectionPtr take_idle();
  void give_back(const ConnectionPtr& connection, std::uint64_t epoch, bool whole);
  void judge(const Exchange& exchange, std::uint64_t epoch);
  ConnectionPtr make_connection();
  void grow();
  boost::asio::awaitable<void> open_further();
  boost::asio::awaitable<void> reconnect();
  void come_back(const ConnectionPtr& connection);
  void trip();
  void spawn(boost::asio::awaitable<void> (Pool::*coroutine)());

  const boost::asio::any_io_executor executor_;
  const std::shared_ptr<const ConnectionSettings> settings_;
  const StreamFactory streams_;
  const std::size_t max_connections_;
  const std::shared_ptr<Counters> counters_;
  std::function<void()> on_away_;

  std::vector<ConnectionPtr> idle_;  // the last one used comes first
  std::set<ConnectionPtr> busy_;     // in an exchange, or being opened
  std::size_t opening_ = 0;          // of the busy ones
  WaitList waiters_;                 // for an idle connection
  WaitList pauses_;                  // the back-off
  Backoff backoff_;
  Deadline grow_after_{};    // after a further connection could not be made
  std::uint64_t epoch_ = 0;  // raised by trip(): what older connections do has no consequence
  bool away_ = true;
  bool was_here_ = false;
  bool stopped_ = false;
};

}  // namespace tessera::cache::redis
