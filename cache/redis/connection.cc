// Invariant: whole_ is true only between exchanges, after every reply awaited so far has come and nothing
// else.
#include "cache/redis/connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "cache/redis/command.h"
#include "cache/redis/error_reply.h"

namespace tessera::cache::redis {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kBytesPerLimit = 1 << 20;

Request greeting(const Address& address) {
  Request request;
  const auto add = [&request](std::initializer_list<std::string_view> words) {
    append_command(request.bytes, words);
    ++request.commands;
  };
  if (!address.user.empty()) {
    add({"AUTH", address.user, address.password});
  } else if (!address.password.empty()) {
    add({"AUTH", address.password});
  }
  add({"CLIENT", "SETNAME", "tessera"});
  if (address.database != 0) add({"SELECT", std::to_string(address.database)});
  add({"PING"});
  request.fits = [](std::span<const Reply> replies) {
    return std::ranges::all_of(replies,
                               [](const Reply& r) { return r.kind == Reply::Kind::status || r.is_error(); });
  };
  return request;
}

// A user may lack the right to SETNAME or PING; all else must be well.
void judge_greeting(const Address& address, Exchange& answer) {
  if (answer.fault != RemoteFault::none) return;
  const auto refuse = [&answer](const Reply& reply, RemoteFault fault) {
    answer.fault = fault;
    answer.sentence = "the greeting was answered: " + reply.text;
  };
  const bool with_password = !address.password.empty();
  for (std::size_t i = 0; i < answer.replies.size(); ++i) {
    const Reply& reply = answer.replies[i];
    if (!reply.is_error()) continue;
    const auto fault = classify_error(reply.text);
    const bool is_auth = with_password && i == 0;
    const bool is_select = address.database != 0 && i + 2 == answer.replies.size();
    const bool is_unknown_here = reply.text.starts_with("NOAUTH");
    if (is_auth || is_select || is_unknown_here || fault == RemoteFault::loading) return refuse(reply, fault);
  }
}

}  // namespace

Deadline Connection::Allowance::own_end(std::size_t bytes) const {
  return start + limit * static_cast<std::int64_t>(1 + bytes / kBytesPerLimit);
}

// Marks an exchange; however the coroutine ends, the timer is off, and an exchange cut short closes the
// stream.
struct Connection::InFlight {
  explicit InFlight(Connection& of) : connection(of) { connection.whole_ = false; }
  ~InFlight() {
    connection.disarm();
    if (!connection.whole_) connection.stream_->close();
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  Connection& connection;
};

Connection::Connection(const asio::any_io_executor& executor,
                       std::shared_ptr<const ConnectionSettings> settings, std::shared_ptr<Stream> stream)
    : settings_(std::move(settings)),
      stream_(std::move(stream)),
      timer_(executor),
      reader_(settings_->limits),
      buffer_(kReadBytes) {}

asio::awaitable<Exchange> Connection::open() {
  const auto self = shared_from_this();
  const Deadline start = Clock::now();
  const Allowance allowance{start, settings_->connect_timeout, start + settings_->connect_timeout};
  {
    const InFlight in_flight(*this);
    arm(allowance, 0);
    const error_code error = co_await stream_->open();
    if (error || timed_out_ || closed_) {
      Exchange result = failed(error ? error : error_code(asio::error::operation_aborted), {});
      if (result.fault == RemoteFault::disconnected) result.fault = RemoteFault::unavailable;
      co_return result;
    }
    whole_ = true;
  }
  Request request = greeting(settings_->address);
  Exchange answer = co_await exchange(std::move(request), allowance);
  judge_greeting(settings_->address, answer);
  if (answer.fault != RemoteFault::none) close();
  co_return answer;
}

asio::awaitable<Exchange> Connection::exchange(Request request, Allowance allowance) {
  const auto self = shared_from_this();
  const InFlight in_flight(*this);
  reader_.limit_elements(request.max_elements);
  arm(allowance, request.bytes.size());
  Exchange result;
  const error_code error = co_await stream_->write(request.bytes);
  if (error) {
    result = failed(error, {});
    co_return result;
  }
  result.replies.reserve(request.commands);
  co_await receive(request, allowance, result);
  if (result.fault == RemoteFault::none && !reader_.is_drained()) {
    result.fault = RemoteFault::nonsense;
    result.sentence = "more replies came than commands were sent";
  }
  if (result.fault == RemoteFault::none && request.fits && !request.fits(result.replies)) {
    result.fault = RemoteFault::nonsense;
    result.sentence = "a reply came that its command does not have";
  }
  if (result.fault == RemoteFault::nonsense) result.replies.clear();
  whole_ = result.fault == RemoteFault::none;
  co_return result;
}

asio::awaitable<void> Connection::receive(const Request& request, const Allowance& allowance,
                                          Exchange& result) {
  std::size_t moved = request.bytes.size();
  while (result.replies.size() < request.commands) {
    const auto size = co_await stream_->read_some(buffer_);
    if (size.has_error()) {
      // What came in full is right all the same.
      auto replies = std::move(result.replies);
      result = failed(size.error(), std::move(replies));
      if (request.fits && !request.fits(result.replies)) result.replies.clear();
      co_return;
    }
    if (moved / kBytesPerLimit != (moved + *size) / kBytesPerLimit) {
      arm(allowance, moved + *size);
    }
    moved += *size;
    reader_.feed({buffer_.data(), *size});
    Reply reply;
    while (result.replies.size() < request.commands && reader_.next(reply)) {
      result.replies.push_back(std::move(reply));
    }
    const auto status = reader_.status();
    if (status != ReplyReader::Status::fine) {
      result.fault = RemoteFault::nonsense;
      result.too_large = status != ReplyReader::Status::malformed;
      result.sentence =
          result.too_large ? "a reply came that is larger than allowed" : "what came is not RESP";
      co_return;
    }
  }
}

void Connection::close() {
  closed_ = true;
  whole_ = false;
  stream_->close();
}

void Connection::arm(const Allowance& allowance, std::size_t bytes) {
  const auto number = ++armed_;
  const Deadline own_end = allowance.own_end(bytes);
  by_caller_ = allowance.deadline < own_end;
  timer_.expires_at(std::min(allowance.deadline, own_end));
  timer_.async_wait([weak = weak_from_this(), number](const error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->armed_ != number) return;
    self->timed_out_ = true;
    self->stream_->close();
  });
}

void Connection::disarm() {
  ++armed_;
  timer_.cancel();
}

Exchange Connection::failed(const error_code& error, std::vector<Reply> replies) const {
  // Nobody here closed the stream: the caller's coroutine was cancelled, and is to know it as it always does.
  if (error == asio::error::operation_aborted && !timed_out_ && !closed_) {
    throw boost::system::system_error(error);
  }
  Exchange result;
  result.replies = std::move(replies);
  result.fault = timed_out_ ? RemoteFault::timeout : RemoteFault::disconnected;
  result.by_caller = timed_out_ && by_caller_;
  result.sentence = timed_out_ ? "no answer came in time" : "the connection broke: " + error.message();
  return result;
}

}  // namespace tessera::cache::redis
