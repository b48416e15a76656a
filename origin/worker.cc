#include "origin/worker.h"

#include <utility>

#include "origin/course_input.h"
#include "origin/handlers/refusal.h"

namespace tessera::origin {
namespace {

constexpr std::chrono::seconds kBodyTimeout{30};  // for the whole body of a request

bool brings_body(const http::RequestHead& head) {
  return head.method == "POST" || head.method == "PATCH";
}

Problem refusal_of(boost::system::error_code error) {
  if (error == http::Error::body_too_large) {
    return {413, "the body holds more than " + std::to_string(kMaxBody) + " bytes"};
  }
  if (error == http::Error::timeout) return {408, "the body took too long to come"};
  return {400, "the body cannot be read: " + error.message()};
}

http::ServerOptions server_options() {
  http::ServerOptions options;
  options.server_name = "tessera-origin";
  return options;
}

}  // namespace

Worker::Worker(boost::asio::any_io_executor executor, const http::Address& address, const Shared& shared)
    : database_(shared.file),
      router_(Context{database_, shared.registry, shared.statistics, shared.escape, shared.render_cost}),
      tasks_(executor),
      server_(executor, address, server_options(),
              [this](http::Request& request) { return answer(request); }) {}

http::Task<http::Response> Worker::answer(http::Request& request) {
  std::string body;
  if (brings_body(request.head)) {
    const http::Deadline deadline = std::chrono::steady_clock::now() + kBodyTimeout;
    http::Result<std::string> read = co_await http::read_all(*request.body, kMaxBody, deadline);
    if (!read) co_return to_response(refusal_of(read.error()));
    body = std::move(*read);
  }
  co_return router_.answer(request.head, body);
}

void Worker::start() {
  tasks_.spawn([this]() -> http::Task<void> {
    server_.start();
    co_return;
  });
}

void Worker::stop(std::chrono::milliseconds grace, std::function<void()> on_stopped) {
  tasks_.spawn([this, grace, on_stopped = std::move(on_stopped)]() -> http::Task<void> {
    co_await server_.stop(grace);
    on_stopped();
  });
}

}  // namespace tessera::origin
