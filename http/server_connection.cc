// Invariants: bytes behind the current request stay in the buffer, and nothing is read ahead while an
// exchange is in progress, so a client that does not read its answers is not read either. Each wait has its
// own absolute deadline.
#include "http/server_connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include "http/connection_duplex.h"
#include "http/hop_by_hop.h"
#include "http/peer_counts.h"
#include "http/request_body.h"
#include "http/tunnel.h"
#include "http/welcome.h"

namespace tessera::http {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kRefused = kNoHeadEnd;
constexpr std::size_t kReadStep = 4096;
constexpr std::size_t kKeptBuffer = 32 * 1024;  // what an idle connection may hold on to
constexpr std::size_t kDrain = 64 * 1024;       // an unread request body up to here is read and dropped
constexpr auto kDrainTime = std::chrono::seconds(5);
constexpr auto kLingerTime = std::chrono::seconds(5);
constexpr auto kGoodbyeTime = std::chrono::seconds(1);
constexpr auto kLastHeadTime = std::chrono::seconds(1);  // for the rest of a head when stopping
constexpr int kEmptyLines = 4;

// Instead of a response whose body could not be read at all.
constexpr int kUnreadable = 502;

bool is_unsent(const BodySent& sent) {
  return sent.end == BodySent::End::source_failed && !sent.head_sent;
}

// Tells Response::on_sent how it ended, also when the connection's coroutine is cancelled.
class SentReport {
 public:
  SentReport(const Response& response, const DepartureWatch::Exchange& watched,
             steady_clock::time_point arrived)
      : response_(response), watched_(watched), arrived_(arrived) {}
  ~SentReport() {
    if (!response_.on_sent) return;
    Sent report;
    report.status = status();
    report.body_bytes = sent.bytes;
    report.complete = sent.end == BodySent::End::complete;
    report.elapsed = steady_clock::now() - arrived_;
    response_.on_sent(report);
  }
  SentReport(const SentReport&) = delete;
  SentReport& operator=(const SentReport&) = delete;

  BodySent sent{BodySent::End::peer_failed, Error::cancelled};

 private:
  int status() const {
    if (watched_.departed && sent.bytes == 0) return kClientLeft;
    return is_unsent(sent) ? kUnreadable : response_.head.status;
  }

  const Response& response_;
  const DepartureWatch::Exchange& watched_;
  const steady_clock::time_point arrived_;
};

// The part of an exchange in which a client that leaves is noticed.
class Watching {
 public:
  Watching(DepartureWatch& watch, DepartureWatch::Exchange& watched, const RequestBody& body,
           steady_clock::time_point began)
      : watched_(watched) {
    watched_.began = began;
    watched_.body = &body;
    watch.begin(watched_);
  }
  ~Watching() { DepartureWatch::end(watched_); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  DepartureWatch::Exchange& watched_;
};

bool is_cancellation(const boost::system::system_error& error) {
  return error.code() == boost::system::errc::operation_canceled;
}

}  // namespace

std::shared_ptr<PeerCounts> counts_of(const std::string& peer, const ServerOptions& options) {
  if (!options.peers || options.uncounted.empty()) return options.peers;
  const auto ip = config::parse_ip(peer);
  const bool is_uncounted =
      ip && std::any_of(options.uncounted.begin(), options.uncounted.end(),
                        [&](const config::Network& network) { return network.contains(*ip); });
  return is_uncounted ? nullptr : options.peers;
}

ServerConnection::ServerConnection(Connection connection, std::string peer_address, ServerState& state,
                                   Cancellation cancellation)
    : connection_(std::move(connection)),
      peer_address_(std::move(peer_address)),
      state_(state),
      writer_(connection_, state.writer, state.date),
      watched_(std::move(cancellation)) {
  watched_.socket = connection_.handle();
}

void ServerConnection::end_if_idle() {
  if (idle_) return connection_.cancel();
  if (!awaits_head_) return;
  looks_again_ = true;
  connection_.interrupt();
}

Task<bool> ServerConnection::open() {
  const ServerOptions options = state_.options;  // a reload may replace them meanwhile
  const auto error = co_await welcome(connection_, options, peer_address_);
  if (error == Error::plain_http) {
    const Refusal plain{400, "A plain HTTP request was sent to a TLS port."};
    co_await refuse(plain, false, 11);
  } else if (error == Error::tls_failed) {
    co_await linger();  // so that OpenSSL's alert arrives
  }
  co_return !error;
}

Task<void> ServerConnection::run() {
  const bool names_client = state_.options.proxy_protocol;
  if (state_.options.tls || state_.options.proxy_protocol) {
    const bool opened = co_await open();
    if (!opened) co_return connection_.close();
  }
  const PeerEntry peer(names_client ? counts_of(peer_address_, state_.options) : nullptr, peer_address_);
  if (!peer.entered()) co_return connection_.close();
  for (;;) {
    const auto head_size = co_await await_head();
    if (head_size == 0) break;
    if (head_size == kRefused) {
      co_await refuse(*refusal_, false, 11);
      break;
    }
    const bool more = co_await serve(head_size);
    if (!more) break;
  }
  if (state_.options.tls && !cut_short_) co_await connection_.say_goodbye(steady_clock::now() + kGoodbyeTime);
  connection_.close();
}

// RFC 9112 2.2: empty lines before a request line are skipped; here a few. False: too many.
bool ServerConnection::skip_empty_lines(std::size_t& scanned) {
  auto& buffer = connection_.buffer();
  while (buffer.bytes().starts_with("\r\n")) {
    if (++empty_lines_ > kEmptyLines) return false;
    buffer.consume(2);
    scanned = 0;
  }
  return true;
}

// The head's length, kRefused, or 0 when more bytes are needed.
std::size_t ServerConnection::find_head(std::size_t& scanned) {
  auto& buffer = connection_.buffer();
  if (!skip_empty_lines(scanned)) {
    refusal_ = Refusal{400, "The request line is missing."};
    return kRefused;
  }
  const auto bytes = buffer.bytes();
  const auto end = find_head_end(bytes, scanned);
  const auto limit = state_.options.head_bytes;
  if (end != kNoHeadEnd && end <= limit) return end;
  const auto line = std::min(limit, state_.options.request_line_bytes);
  const auto has_line = [&] { return bytes.substr(0, line + 2).find("\r\n") != std::string_view::npos; };
  if (end == kNoHeadEnd && bytes.size() < limit && (bytes.size() < line + 2 || has_line())) {
    scanned = bytes.size();
    return 0;
  }
  refusal_ = !has_line() ? Refusal{414, "The request line is too long."}
                         : Refusal{431, "The request's fields are too large."};
  return kRefused;
}

Task<std::size_t> ServerConnection::await_head() {
  auto& buffer = connection_.buffer();
  buffer.shrink(kKeptBuffer);
  const auto& options = state_.options;
  const bool fresh = first_;
  first_ = false;
  idle_ = false;
  empty_lines_ = 0;
  std::size_t scanned = 0;
  bool begun = fresh || !buffer.empty();
  Deadline deadline = kNoDeadline;
  Deadline last_call = kNoDeadline;
  for (;;) {
    if (!buffer.empty()) {
      const auto end = find_head(scanned);
      if (end != 0) co_return end;
    }
    // A request that has come meanwhile would be lost without an answer.
    if (state_.stopping && buffer.empty() && connection_.probe() != Connection::State::input) co_return 0;
    if (state_.stopping && last_call == kNoDeadline) last_call = steady_clock::now() + kLastHeadTime;
    if (deadline == kNoDeadline) {
      deadline = steady_clock::now() + (begun ? options.head_timeout : options.idle_timeout);
    }
    awaits_head_ = true;
    const auto read = co_await connection_.fill(kReadStep, std::min(deadline, last_call));
    awaits_head_ = false;
    if (std::exchange(looks_again_, false) && !read && read.error() == Error::cancelled) continue;
    if (!read && read.error() == Error::timeout && !buffer.empty() && !state_.stopping) {
      refusal_ = Refusal{408, "The request head took too long."};
      co_return kRefused;
    }
    if (!read || *read == 0) co_return 0;
    if (!begun) {
      begun = true;
      deadline = kNoDeadline;
    }
  }
}

Task<bool> ServerConnection::serve(std::size_t head_size) {
  const auto& options = state_.options;
  ParsedRequest parsed;
  const HeadLimits limits{options.request_line_bytes, options.max_fields};
  auto refusal = parse_request_head(connection_.buffer().bytes().substr(0, head_size), parsed, limits);
  if (!refusal && options.body_bytes != 0 && parsed.framing.length > options.body_bytes) {
    refusal = Refusal{413, "The request's body is too large."};
  }
  connection_.buffer().consume(head_size);
  const bool head_request = parsed.head.method == "HEAD";
  if (refusal) {
    co_await refuse(*refusal, head_request, parsed.head.version);
    co_return false;
  }
  RequestBody body(connection_, parsed, options.body_timeout, options.body_bytes);
  ResponseContext context{parsed.head.version, head_request, parsed.takes_trailers, parsed.keep_alive};
  Request request;
  request.head = std::move(parsed.head);
  request.body = &body;
  request.peer_address = peer_address_;
  request.tls = state_.options.tls != nullptr;
  request.arrived = steady_clock::now();
  if (context.version >= 11) {
    request.interim = [this](const ResponseHead& head) { return send_interim(head); };
  }
  BodySent sent;
  {
    watched_.departed = false;
    const Watching watching(*state_.watch, watched_, body, request.arrived);
    response_begun_ = false;
    sent = co_await answer(request, body, context);
  }
  if (is_unsent(sent)) {
    const Refusal failed{kUnreadable, "The response's body could not be read."};
    co_await write_problem(failed, context.head_request, context.version);
  }
  cut_short_ = sent.end != BodySent::End::complete;
  if (cut_short_) co_return false;
  if (context.keep_alive && body.complete()) co_return true;
  if (context.keep_alive) {
    const bool drained = co_await finish_request_body(body);
    if (drained) co_return true;
  }
  // Closing on bytes that were not read would take the answer back.
  const bool unread = !body.complete() || !connection_.buffer().empty();
  if (unread || connection_.probe() == Connection::State::input) co_await linger();
  co_return false;
}

// Has the handler answer and sends what it returns. `context.keep_alive` then says whether the connection may
// go on.
Task<BodySent> ServerConnection::answer(Request& request, RequestBody& body, ResponseContext& context) {
  auto response = co_await handle(request);
  if (watched_.overdue) {
    // The cancellation has ended the handler, and would end the answer too.
    co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_terminal_cancellation());
    auto late = problem(504, "The request took too long.");
    name_problem(late, request.id);
    late.head.fields.set("Cache-Control", "no-store");
    if (const auto id = response.head.fields.get("X-Request-Id")) late.head.fields.set("X-Request-Id", *id);
    late.on_sent = std::move(response.on_sent);
    response = std::move(late);
    context.keep_alive = false;
  }
  SentReport report(response, watched_, request.arrived);
  // Nothing of the body will come while the client waits for a 100 that it does not get any more.
  const bool large = !body.remaining() || *body.remaining() > kDrain;
  const bool unread = !body.complete() && !std::holds_alternative<std::unique_ptr<BodySource>>(response.body);
  if (state_.closing || state_.stopping || (unread && (body.awaits_continue() || large)))
    context.keep_alive = false;
  body.response_begins();
  response_begun_ = true;
  if (response.upgraded) {
    report.sent = co_await tunnel(response, context);
  } else {
    report.sent = co_await writer_.write(response, context);
  }
  co_return report.sent;
}

// A 100 is RequestBody's to send, and a 101 is a final response (RFC 9110 15.2).
Task<void> ServerConnection::send_interim(const ResponseHead& head) {
  if (response_begun_ || head.status < 102 || head.status > 199) co_return;
  ResponseHead relayed = head;
  remove_hop_by_hop(relayed.fields);
  co_await writer_.write_interim(relayed);  // whether the client is still there shows with the final response
}

// Neither end of a tunnel is an exchange that a shutdown would wait for, and half a close is no departure.
Task<BodySent> ServerConnection::tunnel(Response& response, ResponseContext& context) {
  context.keep_alive = false;
  auto sent = co_await writer_.write(response, context);
  if (sent.end != BodySent::End::complete || state_.stopping) co_return sent;
  DepartureWatch::end(watched_);
  idle_ = true;
  ConnectionDuplex client(connection_);
  const auto tunnelled = co_await join(client, *response.upgraded, state_.options.tunnel_timeout);
  idle_ = false;
  sent.bytes = tunnelled.to_client;
  sent.end = tunnelled.complete ? BodySent::End::complete : BodySent::End::peer_failed;
  co_return sent;
}

// Reads what is left of a request's body, when it is little. False: it is not, or it did not come.
Task<bool> ServerConnection::finish_request_body(RequestBody& body) {
  if (body.awaits_continue()) co_return false;
  const auto deadline = steady_clock::now() + kDrainTime;
  char scratch[4096];
  std::size_t dropped = 0;
  for (;;) {
    const auto read = co_await body.read_some(scratch, deadline);
    if (!read) co_return false;
    if (*read == 0) co_return true;
    dropped += *read;
    if (dropped > kDrain) co_return false;
  }
}

Task<void> ServerConnection::refuse(Refusal refusal, bool head_request, unsigned version) {
  if (state_.options.on_refused) state_.options.on_refused(peer_address_, refusal.status);
  co_await write_problem(refusal, head_request, version);
}

// The connection's last words.
Task<void> ServerConnection::write_problem(Refusal refusal, bool head_request, unsigned version) {
  auto response = problem(refusal.status, refusal.detail);
  ResponseContext context{version, head_request, false, false};
  const auto sent = co_await writer_.write(response, context);
  if (sent.end == BodySent::End::complete) co_await linger();
}

Task<Response> ServerConnection::handle(Request& request) {
  try {
    auto response = co_await state_.handler(request);
    if (response.head.status != 101) response.upgraded.reset();
    if (response.upgraded || (response.head.status >= 200 && response.head.status <= 599)) co_return response;
    spdlog::error("{} {}: a handler's status of {}", request.head.method, request.head.path(),
                  response.head.status);
  } catch (const boost::system::system_error& error) {
    if (!is_cancellation(error))
      spdlog::error("{} {}: {}", request.head.method, request.head.path(), error.what());
  } catch (const std::exception& error) {
    spdlog::error("{} {}: {}", request.head.method, request.head.path(), error.what());
  } catch (...) {
    spdlog::error("{} {}: an exception of unknown type", request.head.method, request.head.path());
  }
  if (state_.options.on_refused) state_.options.on_refused(peer_address_, 500);
  auto failure = problem(500, "The request could not be answered.");
  name_problem(failure, request.id);
  co_return failure;
}

// RFC 9112 9.6: closing while the client still sends makes its kernel drop our answer unread.
Task<void> ServerConnection::linger() {
  const auto deadline = steady_clock::now() + kLingerTime;
  if (state_.options.tls) co_await connection_.say_goodbye(deadline);
  connection_.shutdown_write();
  idle_ = true;
  for (;;) {
    connection_.buffer().consume(connection_.buffer().size());
    const auto read = co_await connection_.fill(kReadStep, deadline);
    if (!read || *read == 0 || state_.stopping) co_return;
  }
}

}  // namespace tessera::http
