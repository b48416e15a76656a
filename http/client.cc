// Invariant: a connection is in the pool only between two complete exchanges, with nothing left to read.
// Whoever takes it owns it; what is not given back is closed.
#include "http/client.h"

#include <algorithm>
#include <array>
#include <vector>

#include "http/body_writer.h"
#include "http/client_body.h"
#include "http/connector.h"
#include "http/head_parser.h"
#include "http/hop_by_hop.h"

namespace tessera::http {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;
using ConnectionPtr = std::unique_ptr<Connection>;

constexpr std::size_t kHeadRead = 16 * 1024;
constexpr int kMaxInterim = 16;  // 1xx responses before the final one

struct Idle {
  ConnectionPtr connection;
  steady_clock::time_point since;
};

// What one attempt came to.
struct Attempt {
  error_code error;
  bool answered = false;  // a byte of the response came
  ParsedResponse response;
  bool reusable = false;
};

bool is_idempotent(std::string_view method) {
  constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"};
  return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
}

// At least a millisecond, so that a deadline that has passed is found by the wait itself.
std::chrono::milliseconds time_left(Deadline deadline) {
  using std::chrono::milliseconds;
  if (deadline == kNoDeadline) return milliseconds::max();
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  return std::max(left, milliseconds(1));
}

bool has_body(const BodySource* body) {
  return body != nullptr && body->length() != 0u;
}

// Method and target come from callers as plain strings: nothing may end the line early.
bool is_line_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7f;
  });
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string request_head(RequestHead& head, const Origin& origin, const BodySource* body) {
  remove_hop_by_hop(head.fields);
  head.fields.remove("Expect");  // a 100 is skipped like every 1xx, and the body is not held back for it
  std::string out;
  out.reserve(512);
  out.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n");
  const auto host = head.fields.get("Host");
  append_field(out, "Host", host ? *host : std::string_view(origin.authority()));
  for (const auto& line : head.fields) {
    if (!equal_ignoring_case(line.name, "Host")) append_field(out, line.name, line.value);
  }
  const bool expected = head.method == "POST" || head.method == "PUT" || head.method == "PATCH";
  if (has_body(body)) {
    const auto length = body->length();
    if (length) {
      append_field(out, "Content-Length", std::to_string(*length));
    } else {
      append_field(out, "Transfer-Encoding", "chunked");
    }
  } else if (expected) {
    append_field(out, "Content-Length", "0");
  }
  out += "\r\n";
  return out;
}

}  // namespace

struct Client::Impl : std::enable_shared_from_this<Client::Impl> {
  Impl(const boost::asio::any_io_executor& executor, Origin to, ClientOptions with)
      : origin(std::move(to)), options(with), connector(executor, origin.host, origin.port) {}

  ConnectionPtr take();
  void give_back(ConnectionPtr connection);
  Task<Result<ConnectionPtr>> connect(Deadline deadline);
  Task<error_code> send_request(Connection& connection, std::string_view head, BodySource* body,
                                Deadline& deadline, Attempt& attempt);
  Task<error_code> read_head(Connection& connection, bool head_request, Deadline deadline,
                             const InterimSink& interim, Attempt& attempt);
  ClientResponse finish(ConnectionPtr connection, Attempt& attempt);

  const Origin origin;
  const ClientOptions options;
  Connector connector;
  std::vector<Idle> idle;  // the most recently used last
};

// The most recently used one that is alive; null when there is none.
ConnectionPtr Client::Impl::take() {
  const auto oldest = steady_clock::now() - options.idle_limit;
  while (!idle.empty()) {
    auto last = std::move(idle.back());
    idle.pop_back();
    if (last.since < oldest) {  // those before it are older still
      idle.clear();
      break;
    }
    if (last.connection->probe() == Connection::State::quiet) return std::move(last.connection);
  }
  return nullptr;
}

void Client::Impl::give_back(ConnectionPtr connection) {
  if (options.max_idle == 0) return;
  const auto now = steady_clock::now();
  const auto stale = std::find_if(idle.begin(), idle.end(),
                                  [&](const Idle& entry) { return entry.since >= now - options.idle_limit; });
  idle.erase(idle.begin(), stale);
  if (idle.size() >= options.max_idle) idle.erase(idle.begin());
  idle.push_back({std::move(connection), now});
}

Task<Result<ConnectionPtr>> Client::Impl::connect(Deadline deadline) {
  const auto limit = std::min(deadline, steady_clock::now() + options.connect_timeout);
  auto connected = co_await connector.connect(limit);
  // Only the caller's own deadline is a timeout to him; else the origin could not be reached.
  if (!connected && connected.error() == Error::timeout && limit < deadline) co_return Error::connect_failed;
  co_return std::move(connected);
}

Task<error_code> Client::Impl::send_request(Connection& connection, std::string_view head, BodySource* body,
                                            Deadline& deadline, Attempt& attempt) {
  attempt.reusable = true;
  if (!has_body(body)) {
    iovec piece{const_cast<char*>(head.data()), head.size()};
    WriteLimits limits;
    limits.deadline = deadline;
    const std::span<iovec> pieces(&piece, 1);
    const auto written = co_await connection.write(pieces, limits);
    co_return written.error;
  }
  // How long a body takes is its sender's affair; only that it moves on is asked for.
  const auto pause = time_left(deadline);
  BodyPlan plan;
  plan.chunked = !body->length();
  plan.limits.stall = pause;
  plan.limits.stop_on_input = true;
  plan.source_pause = pause;
  const auto sent = co_await send_source(connection, head, *body, plan);
  if (deadline != kNoDeadline) deadline = steady_clock::now() + pause;
  if (sent.end == BodySent::End::complete) co_return error_code();
  attempt.reusable = false;
  // The origin answered before the body's end, or closed after it had answered: its response counts.
  const bool may_have_answered = sent.end == BodySent::End::interrupted ||
                                 (sent.end == BodySent::End::peer_failed && sent.error == Error::closed);
  co_return may_have_answered ? error_code() : sent.error;
}

Task<error_code> Client::Impl::read_head(Connection& connection, bool head_request, Deadline deadline,
                                         const InterimSink& interim, Attempt& attempt) {
  auto& buffer = connection.buffer();
  for (int skipped = 0; skipped <= kMaxInterim; ++skipped) {
    std::size_t scanned = 0;
    std::size_t end = kNoHeadEnd;
    while (end == kNoHeadEnd) {
      end = find_head_end(buffer.bytes(), scanned);
      const auto size = end == kNoHeadEnd ? buffer.size() : end;
      if (size > options.head_bytes) co_return Error::head_too_large;
      if (end != kNoHeadEnd) break;
      scanned = buffer.size();
      const auto read = co_await connection.fill(kHeadRead, deadline);
      if (!read) co_return read.error();
      if (*read == 0) co_return Error::closed;
      attempt.answered = true;
    }
    attempt.response = {};
    const bool valid = parse_response_head(buffer.bytes().substr(0, end), head_request, attempt.response);
    if (!valid) co_return Error::malformed_message;
    buffer.consume(end);
    const int status = attempt.response.head.status;
    if (status == 101) co_return Error::malformed_message;  // we never ask for an upgrade
    if (status >= 200) co_return error_code();
    if (status != 100 && interim) {
      remove_hop_by_hop(attempt.response.head.fields);
      co_await interim(attempt.response.head);
    }
  }
  co_return Error::malformed_message;
}

ClientResponse Client::Impl::finish(ConnectionPtr connection, Attempt& attempt) {
  ClientBody::GiveBack give;
  if (attempt.reusable && attempt.response.keep_alive) {
    give = [weak = weak_from_this()](ConnectionPtr done) {
      if (const auto self = weak.lock()) self->give_back(std::move(done));
    };
  }
  ClientResponse response;
  response.head = std::move(attempt.response.head);
  remove_hop_by_hop(response.head.fields);
  response.body = std::make_unique<ClientBody>(std::move(connection), attempt.response.framing,
                                               attempt.response.declared_length, std::move(give));
  return response;
}

Client::Client(boost::asio::any_io_executor executor, Origin origin, ClientOptions options)
    : impl_(std::make_shared<Impl>(executor, std::move(origin), options)) {}

Client::~Client() = default;

const Origin& Client::origin() const {
  return impl_->origin;
}

Task<Result<ClientResponse>> Client::send(RequestHead head, BodySource* body, Deadline deadline,
                                          InterimSink interim) {
  const auto impl = impl_;
  if (!is_line_part(head.method) || !is_line_part(head.target)) co_return Error::malformed_message;
  const auto wire = request_head(head, impl->origin, body);
  const bool may_repeat = is_idempotent(head.method) && !has_body(body);
  auto connection = impl->take();
  for (;;) {
    const bool pooled = connection != nullptr;
    if (!pooled) {
      auto fresh = co_await impl->connect(deadline);
      if (!fresh) co_return fresh.error();
      connection = std::move(*fresh);
    }
    Attempt attempt;
    attempt.error = co_await impl->send_request(*connection, wire, body, deadline, attempt);
    if (!attempt.error) {
      attempt.error =
          co_await impl->read_head(*connection, head.method == "HEAD", deadline, interim, attempt);
    }
    if (!attempt.error) co_return impl->finish(std::move(connection), attempt);
    connection.reset();
    // RFC 9112 9.3.1: a kept connection may close just as we write; once more on a fresh one.
    const bool closed_on_us = pooled && !attempt.answered && attempt.error == Error::closed;
    if (!closed_on_us || !may_repeat) co_return attempt.error;
  }
}

void Client::close_idle() {
  impl_->idle.clear();
}

}  // namespace tessera::http
