#include "proxy/pass_route.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "proxy/forwarding.h"
#include "proxy/max_forwards.h"

namespace tessera::proxy {
namespace {

using std::chrono::steady_clock;

// The client's body on its way to the origin. Remembers when it was the client that failed.
class UploadBody final : public http::BodySource {
 public:
  UploadBody(http::BodySource& source, std::uint64_t limit) : source_(source), limit_(limit) {}

  std::optional<std::uint64_t> length() const override { return source_.length(); }

  http::Task<http::Result<std::size_t>> read_some(std::span<char> buffer, http::Deadline deadline) override {
    const auto read = co_await source_.read_some(buffer, deadline);
    if (!read) failure_ = read.error();
    if (read) total_ += *read;
    if (limit_ == 0 || total_ <= limit_) co_return read;
    failure_ = http::Error::body_too_large;
    co_return failure_;
  }

  const http::Fields* trailers() const override { return source_.trailers(); }

  boost::system::error_code failure() const { return failure_; }

 private:
  http::BodySource& source_;
  std::uint64_t limit_;
  std::uint64_t total_ = 0;
  boost::system::error_code failure_;
};

// The origin's body on its way to the client.
class DownloadBody final : public http::BodySource {
 public:
  DownloadBody(std::unique_ptr<http::BodySource> source, std::chrono::milliseconds pause, Counter& received)
      : source_(std::move(source)), pause_(pause), received_(received) {}

  std::optional<std::uint64_t> length() const override { return source_->length(); }

  http::Task<http::Result<std::size_t>> read_some(std::span<char> buffer, http::Deadline deadline) override {
    const auto limit = std::min(deadline, steady_clock::now() + pause_);
    const auto read = co_await source_->read_some(buffer, limit);
    if (read) count(received_, *read);
    co_return read;
  }

  const http::Fields* trailers() const override { return source_->trailers(); }

 private:
  std::unique_ptr<http::BodySource> source_;
  std::chrono::milliseconds pause_;
  Counter& received_;
};

// Commands to caches. Ours takes them on the admin listener only, and an origin's own cache must not take
// them from just anybody either.
bool is_cache_command(std::string_view method) {
  return http::equal_ignoring_case(method, "PURGE") || http::equal_ignoring_case(method, "BAN");
}

bool has_no_body(std::string_view method, int status) {
  return method == "HEAD" || status < 200 || status == 204 || status == 304;
}

// What this route counts once its response has been sent. How long an upgraded connection lives is no
// latency.
void count_when_sent(http::Response& response, RouteStatistics& statistics, Outcome outcome, Reason reason) {
  response.note.outcome = static_cast<std::uint8_t>(outcome);
  response.note.reason = static_cast<std::uint8_t>(reason);
  response.on_sent = [&statistics, outcome, reason](const http::Sent& sent) {
    statistics.sent(outcome, sent);
    if (outcome == Outcome::passed) count(statistics.passed[static_cast<std::size_t>(reason)]);
    if (outcome == Outcome::passed && sent.complete && sent.status != 101)
      statistics.uncached_latency.record(sent.elapsed);
  };
}

http::Response own_answer(int status, std::string_view detail) {
  auto response = http::problem(status, detail);
  response.head.fields.set("Cache-Control", "no-store");
  return response;
}

// Requests that go no further. What follows a successful CONNECT would be no HTTP any more.
std::optional<http::Response> answer_here(const http::Request& request, const PassOptions& options) {
  const std::string_view method = request.head.method;
  if (options.body_bytes != 0 && request.body->length().value_or(0) > options.body_bytes)
    return own_answer(413, "the request's body is too large");
  if (method == "CONNECT") return own_answer(501, "this proxy does not open tunnels");
  if (auto answer = answered_here(request)) {
    answer->head.fields.set("Cache-Control", "no-store");
    return answer;
  }
  if (!is_cache_command(method)) return std::nullopt;
  auto refusal = own_answer(405, "this method is not accepted here; purges belong to the admin listener");
  refusal.head.fields.set("Allow", kAllowedMethods);
  return refusal;
}

http::Response origin_failure(const boost::system::error_code& error) {
  if (error == http::Error::timeout) return own_answer(504, "the origin did not answer in time");
  if (error == http::Error::cancelled) return own_answer(503, "the proxy is shutting down");
  if (error == http::Error::overloaded) {
    auto refusal = own_answer(503, "too many requests to the origin are under way");
    refusal.head.fields.set("Retry-After", "1");
    return refusal;
  }
  if (error == http::Error::connect_failed) return own_answer(502, "the origin did not accept a connection");
  if (error == http::Error::resolve_failed) return own_answer(502, "the origin's name has no address");
  if (error == http::Error::tls_failed) return own_answer(502, "no trustworthy connection to the origin");
  if (error == http::Error::malformed_message)
    return own_answer(502, "the origin's answer is not valid HTTP/1");
  if (error == http::Error::head_too_large)
    return own_answer(502, "the head of the origin's answer is too large");
  return own_answer(502, "the origin closed the connection before it answered");
}

http::Response upload_failure(const boost::system::error_code& error) {
  if (error == http::Error::timeout) return own_answer(408, "the request's body took too long");
  if (error == http::Error::body_too_large) return own_answer(413, "the request's body is too large");
  if (error == http::Error::cancelled) return own_answer(503, "the proxy is shutting down");
  return own_answer(400, "the request's body is incomplete or malformed");
}

Outcome outcome_of_own(int status) {
  return status >= 500 ? Outcome::failed : Outcome::passed;
}

}  // namespace

http::Task<http::Response> pass(http::Request& request, http::Upstream& origin, const PassOptions& options,
                                CacheStatus status, RouteStatistics& statistics) {
  const PassOptions limits = options;  // need not outlive the first wait
  const std::string_view method = request.head.method;
  if (auto refusal = answer_here(request, limits)) {
    count_when_sent(*refusal, statistics, outcome_of_own(refusal->head.status), status.reason);
    co_return std::move(*refusal);
  }
  const bool is_read = method == "GET" || method == "HEAD";
  status.forward = is_read ? CacheStatus::Forward::bypass : CacheStatus::Forward::method;

  UploadBody upload(*request.body, limits.body_bytes);
  auto head = forwarded_head(request);
  count(statistics.origin_pass);
  const auto started = steady_clock::now();
  const auto deadline = started + limits.response_timeout;
  auto answer = co_await origin.send(std::move(head), &upload, deadline, request.interim);
  if (!answer) {
    auto failure = upload.failure() ? upload_failure(upload.failure()) : origin_failure(answer.error());
    if (limits.cache_status) add_cache_status(failure.head.fields, status);
    count_when_sent(failure, statistics, outcome_of_own(failure.head.status), status.reason);
    co_return failure;
  }

  http::Response response;
  response.head = std::move(answer->head);
  response.upgraded = std::move(answer->upgraded);
  add_via(response.head.fields, response.head.version);
  status.forward_status = response.head.status;
  if (limits.cache_status) add_cache_status(response.head.fields, status);
  if (has_no_body(method, response.head.status)) {
    response.body = http::NoBody{answer->body->length()};
  } else {
    response.body = std::make_unique<DownloadBody>(std::move(answer->body), limits.progress_timeout,
                                                   statistics.bytes_origin);
  }
  response.note.origin_time = steady_clock::now() - started;
  count_when_sent(response, statistics, Outcome::passed, status.reason);
  co_return response;
}

}  // namespace tessera::proxy
