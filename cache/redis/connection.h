// One connection to Redis: commands go out, as many replies come back, or it is closed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cache/redis/address.h"
#include "cache/redis/reply_reader.h"
#include "cache/redis/stream.h"
#include "cache/remote_store.h"

namespace tessera::cache::redis {

using Clock = std::chrono::steady_clock;
using Deadline = RemoteStore::Deadline;

// Commands for one exchange.
struct Request {
  std::string bytes;             // whole commands, one after the other
  std::size_t commands = 0;      // as many replies are awaited
  std::size_t max_elements = 0;  // of one reply's arrays
  // Whether these (the first of the awaited) replies are of the kind that the commands have. Error replies
  // are.
  std::function<bool(std::span<const Reply>)> fits;
};

// What came of it. On a fault `replies` holds those that came in full before it; after nonsense, none.
struct Exchange {
  RemoteFault fault = RemoteFault::none;  // none, timeout, disconnected, nonsense
  std::string sentence;                   // says more about the fault
  bool too_large = false;                 // nonsense only because a reply was above the limits
  bool by_caller = false;                 // a timeout only because the caller's deadline was so near
  std::vector<Reply> replies;
};

struct ConnectionSettings {
  Address address;
  std::chrono::milliseconds command_timeout{0};
  std::chrono::milliseconds connect_timeout{0};
  ReplyReader::Limits limits;
};

// Belongs to one event loop; held by shared_ptr. Replies match commands only by order, so a connection whose
// exchange was cut short in any way (a deadline, an error, a cancelled or destroyed caller) is closed and
// never used again.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(const boost::asio::any_io_executor& executor, std::shared_ptr<const ConnectionSettings> settings,
             std::shared_ptr<Stream> stream);

  // Connects and greets (AUTH, CLIENT SETNAME, SELECT, PING) within the connect timeout. Besides an
  // exchange's faults: unavailable, loading, misconfigured.
  boost::asio::awaitable<Exchange> open();
  // The time that an exchange has: slow is not frozen, so that each MiB that moves earns it more.
  struct Allowance {
    Deadline start;
    std::chrono::milliseconds limit;  // from the start on, and once more for each MiB sent or received
    Deadline deadline;                // the end in any case
    Deadline own_end(std::size_t bytes) const;
  };
  // REQUIRES: none is under way.
  boost::asio::awaitable<Exchange> exchange(Request request, Allowance allowance);

  // The last exchange ended well, and nothing has come since.
  bool is_usable() { return whole_ && stream_->is_quiet(); }
  // An exchange under way ends as disconnected.
  void close();

 private:
  struct InFlight;

  boost::asio::awaitable<void> receive(const Request& request, const Allowance& allowance, Exchange& result);
  void arm(const Allowance& allowance, std::size_t bytes);
  void disarm();
  Exchange failed(const boost::system::error_code& error, std::vector<Reply> replies) const;

  const std::shared_ptr<const ConnectionSettings> settings_;
  const std::shared_ptr<Stream> stream_;
  boost::asio::steady_timer timer_;
  ReplyReader reader_;
  std::vector<char> buffer_;
  std::uint64_t armed_ = 0;  // a timer that was armed under another number has nothing to say
  bool timed_out_ = false;
  bool by_caller_ = false;  // the timer stands at the caller's deadline, not at the exchange's own
  bool closed_ = false;
  bool whole_ = false;
};

}  // namespace tessera::cache::redis
