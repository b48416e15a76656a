#include "http/client.h"

#include <algorithm>
#include <array>

#include "http/body_writer.h"
#include "http/client_body.h"
#include "http/connection_duplex.h"
#include "http/connection_pool.h"
#include "http/head_parser.h"
#include "http/hop_by_hop.h"

namespace tessera::http {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;

constexpr std::size_t kHeadRead = 16 * 1024;
constexpr int kMaxInterim = 16;  // 1xx responses before the final one

class EmptyBody final : public BodySource {
 public:
  std::optional<std::uint64_t> length() const override { return 0; }
  Task<Result<std::size_t>> read_some(std::span<char>, Deadline) override { co_return 0u; }
};

// A connection that no longer speaks HTTP; it counts among those that are out.
class LeasedDuplex final : public Duplex {
 public:
  explicit LeasedDuplex(Lease lease) : lease_(std::move(lease)), duplex_(*lease_) {}

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    return duplex_.read_some(buffer, deadline);
  }
  Task<Result<void>> write(std::string_view bytes, Deadline deadline) override {
    return duplex_.write(bytes, deadline);
  }
  void shutdown_write() override { duplex_.shutdown_write(); }
  void close() override { duplex_.close(); }

 private:
  Lease lease_;
  ConnectionDuplex duplex_;
};

// What one attempt came to.
struct Attempt {
  error_code error;
  bool answered = false;    // a byte of the response came
  bool is_callers = false;  // the error is that of the request's body
  bool final = false;       // `response` is the final one
  int interim = 0;          // interim ones so far

  // One whole head. False: not one that may come now.
  bool take(std::string_view bytes, const RequestHead& request);
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

// What is about our own connection: that trailers are taken (RFC 9110 10.1.4), and the protocols offered.
void append_connection(std::string& out, bool takes_trailers, std::string_view upgrade) {
  if (takes_trailers) append_field(out, "TE", "trailers");
  if (!upgrade.empty()) append_field(out, "Upgrade", upgrade);
  if (takes_trailers && !upgrade.empty()) {
    append_field(out, "Connection", "TE, Upgrade");
  } else if (takes_trailers || !upgrade.empty()) {
    append_field(out, "Connection", takes_trailers ? "TE" : "Upgrade");
  }
}

// The origin may choose among what it was offered only (RFC 9110 7.8).
bool is_offered(std::string_view chosen, std::string_view offered) {
  const auto all = list_elements(offered);
  const auto elements = list_elements(chosen);
  return !elements.empty() && std::all_of(elements.begin(), elements.end(), [&](std::string_view one) {
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view other) { return equal_ignoring_case(one, other); });
  });
}

std::string request_head(RequestHead& head, const Origin& origin, const BodySource* body) {
  const bool takes_trailers = head.fields.has_token("TE", "trailers");
  // Expect goes too: a 100 is skipped like every 1xx, and the body is not held back for it.
  remove_hop_by_hop(head.fields);
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
  append_connection(out, takes_trailers, head.upgrade);
  out += "\r\n";
  return out;
}

bool Attempt::take(std::string_view bytes, const RequestHead& request) {
  response = {};
  if (!parse_response_head(bytes, request.method == "HEAD", response)) return false;
  const auto& head = response.head;
  if (head.status == 101 && !is_offered(head.fields.joined("Upgrade"), request.upgrade)) return false;
  final = head.status == 101 || head.status >= 200;
  return final || ++interim <= kMaxInterim;
}

}  // namespace

struct Client::Impl {
  Impl(const boost::asio::any_io_executor& executor, Origin to, ClientOptions with,
       std::shared_ptr<OriginStatus> status, std::size_t of_loop, FailureSink sink)
      : origin(std::move(to)),
        options(std::move(with)),
        loop(of_loop),
        on_failure(std::move(sink)),
        pool(std::make_shared<ConnectionPool>(executor, origin, options, std::move(status), loop)) {}

  Task<error_code> send_request(Connection& connection, std::string_view wire, const RequestHead& head,
                                BodySource* body, Deadline& deadline, const InterimSink& interim,
                                Attempt& attempt);
  // Up to the final response's head, or (unless `to_final`) until nothing is left of what has come.
  Task<error_code> read_heads(Connection& connection, const RequestHead& request, Deadline deadline,
                              const InterimSink& interim, Attempt& attempt, bool to_final);
  ClientResponse finish(Lease lease, Attempt& attempt);
  static ClientResponse switch_protocol(Lease lease, Attempt& attempt);
  void note_failure(const error_code& error) const;

  const Origin origin;
  const ClientOptions options;
  const std::size_t loop;
  const FailureSink on_failure;
  const std::shared_ptr<ConnectionPool> pool;
};

Task<error_code> Client::Impl::send_request(Connection& connection, std::string_view wire,
                                            const RequestHead& head, BodySource* body, Deadline& deadline,
                                            const InterimSink& interim, Attempt& attempt) {
  attempt.reusable = true;
  if (!has_body(body)) {
    iovec piece{const_cast<char*>(wire.data()), wire.size()};
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
  plan.trailers = true;
  plan.limits.stall = pause;
  plan.limits.stop_on_input = true;
  plan.source_pause = pause;
  // An origin may well send a 100 or a 103 while the body is under way: only its final response ends that.
  plan.on_input = [&]() -> Task<bool> {
    const auto until = deadline == kNoDeadline ? kNoDeadline : steady_clock::now() + pause;
    const auto error = co_await read_heads(connection, head, until, interim, attempt, false);
    co_return !error && !attempt.final;
  };
  const auto sent = co_await send_source(connection, wire, *body, plan);
  if (deadline != kNoDeadline) deadline = steady_clock::now() + pause;
  if (sent.end == BodySent::End::complete) co_return error_code();
  attempt.reusable = false;
  attempt.is_callers = sent.end == BodySent::End::source_failed;
  // The origin answered before the body's end, or closed after it had answered: its response counts.
  const bool may_have_answered = sent.end == BodySent::End::interrupted ||
                                 (sent.end == BodySent::End::peer_failed && sent.error == Error::closed);
  co_return may_have_answered ? error_code() : sent.error;
}

Task<error_code> Client::Impl::read_heads(Connection& connection, const RequestHead& request,
                                          Deadline deadline, const InterimSink& interim, Attempt& attempt,
                                          bool to_final) {
  auto& buffer = connection.buffer();
  while (!attempt.final) {
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
    const bool valid = attempt.take(buffer.bytes().substr(0, end), request);
    if (!valid) co_return Error::malformed_message;
    buffer.consume(end);
    if (attempt.final) break;
    if (attempt.response.head.status != 100 && interim) {
      remove_hop_by_hop(attempt.response.head.fields);
      co_await interim(attempt.response.head);
    }
    if (!to_final && buffer.empty()) break;
  }
  co_return error_code();
}

ClientResponse Client::Impl::finish(Lease lease, Attempt& attempt) {
  ClientResponse response;
  response.head = std::move(attempt.response.head);
  remove_hop_by_hop(response.head);
  const bool reusable = attempt.reusable && attempt.response.keep_alive;
  response.body = std::make_unique<ClientBody>(std::move(lease), attempt.response.framing,
                                               attempt.response.declared_length, reusable);
  return response;
}

ClientResponse Client::Impl::switch_protocol(Lease lease, Attempt& attempt) {
  ClientResponse response;
  response.head = std::move(attempt.response.head);
  remove_hop_by_hop(response.head);
  response.upgraded = std::make_unique<LeasedDuplex>(std::move(lease));
  response.body = std::make_unique<EmptyBody>();
  return response;
}

void Client::Impl::note_failure(const error_code& error) const {
  const unsigned failures = pool->status().failed(loop, error);
  if (failures != 0 && on_failure) on_failure(failures);
}

Client::Client(boost::asio::any_io_executor executor, Origin origin, ClientOptions options,
               std::shared_ptr<OriginStatus> status, std::size_t loop, FailureSink on_failure) {
  if (!status) status = std::make_shared<OriginStatus>(origin.name(), loop + 1, false);
  impl_ = std::make_shared<Impl>(executor, std::move(origin), std::move(options), std::move(status), loop,
                                 std::move(on_failure));
}

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
  auto lease = impl->pool->take();
  OriginStatus::add(impl->pool->counters().requests);
  for (;;) {
    const bool kept = static_cast<bool>(lease);
    if (!kept) {
      const error_code unconnected = co_await impl->pool->connect(lease, deadline);
      if (unconnected) {
        impl->note_failure(unconnected);
        co_return unconnected;
      }
    }
    Attempt attempt;
    attempt.error = co_await impl->send_request(*lease, wire, head, body, deadline, interim, attempt);
    if (!attempt.error) {
      attempt.error = co_await impl->read_heads(*lease, head, deadline, interim, attempt, true);
    }
    // An origin that gives up a connection may say so with a 408, which then meets a request that it has not
    // seen (RFC 9110 15.5.9).
    if (!attempt.error && kept && may_repeat && attempt.response.head.status == 408 &&
        !attempt.response.keep_alive) {
      lease.drop();
      continue;
    }
    if (!attempt.error) {
      impl->pool->status().answered();
      if (attempt.response.head.status == 101) co_return Impl::switch_protocol(std::move(lease), attempt);
      co_return impl->finish(std::move(lease), attempt);
    }
    lease.drop();
    // RFC 9112 9.3.1: a kept connection may close just as we write; once more on a fresh one.
    const bool closed_on_us = kept && !attempt.answered && attempt.error == Error::closed;
    if (closed_on_us && may_repeat) continue;
    if (closed_on_us) {
      impl->pool->status().closed_kept(impl->loop);
    } else if (!attempt.is_callers) {
      impl->note_failure(attempt.error);
    }
    co_return attempt.error;
  }
}

std::size_t Client::out() const {
  return impl_->pool->out();
}

void Client::close_idle() {
  impl_->pool->close_idle();
}

}  // namespace tessera::http
