#include "tests/http/harness.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <future>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <spdlog/spdlog.h>

namespace tessera::http::testing {
namespace {

// Made before any thread: ThreadSanitizer does not see how the library, which Debian builds without it,
// guards its first use.
[[maybe_unused]] const auto logger = spdlog::default_logger();

sockaddr_in loopback(unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void set_patience(int handle) {
  timeval limit{};
  limit.tv_sec = kPatience.count();
  setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace

Deadline soon() {
  return std::chrono::steady_clock::now() + kPatience;
}

Loops::Loops(std::size_t count)
    : loops_(std::make_unique<EventLoops>(count)), thread_([this] { loops_->run(); }) {}

Loops::~Loops() {
  stop();
}

void Loops::stop() {
  if (!thread_.joinable()) return;
  loops_->stop();
  thread_.join();
}

void Loops::run(std::function<Task<void>()> function, std::size_t index) {
  std::promise<void> done;
  boost::asio::co_spawn(loops_->executor(index), std::move(function), [&](const std::exception_ptr& failure) {
    if (failure) {
      done.set_exception(failure);
    } else {
      done.set_value();
    }
  });
  auto future = done.get_future();
  // A coroutine that hangs would use `done` after this frame: the program ends instead.
  if (future.wait_for(3 * kPatience) != std::future_status::ready) std::abort();
  future.get();
}

int RawResponse::status() const {
  return head.size() < 12 ? 0 : std::atoi(head.c_str() + 9);
}

std::string RawResponse::field(std::string_view name) const {
  std::size_t line = head.find("\r\n");
  while (line != std::string::npos && line + 2 < head.size()) {
    const auto end = head.find("\r\n", line + 2);
    const auto text = std::string_view(head).substr(line + 2, end - line - 2);
    const auto colon = text.find(": ");
    if (colon != std::string_view::npos && equal_ignoring_case(text.substr(0, colon), name)) {
      return std::string(text.substr(colon + 2));
    }
    line = end;
  }
  return "";
}

Socket::Socket(Socket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), buffer_(std::move(other.buffer_)) {}

Socket::~Socket() {
  close();
}

Socket Socket::connect(unsigned short port) {
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_patience(handle);
  const auto address = loopback(port);
  if (::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(handle);
    throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
  }
  return Socket(handle);
}

bool Socket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::send(handle_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Socket::fill() {
  char space[16 * 1024];
  const auto count = ::recv(handle_, space, sizeof space, 0);
  if (count <= 0) return false;
  buffer_.append(space, static_cast<std::size_t>(count));
  return true;
}

std::string Socket::read_to_end() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

std::string Socket::read_until(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!fill()) return std::exchange(buffer_, {});
  }
  return read_exactly(at + mark.size());
}

std::string Socket::read_exactly(std::size_t count) {
  while (buffer_.size() < count && fill()) {
  }
  const auto taken = std::min(count, buffer_.size());
  std::string result = buffer_.substr(0, taken);
  buffer_.erase(0, taken);
  return result;
}

RawResponse Socket::read_response(bool to_head) {
  RawResponse response;
  response.head = read_until("\r\n\r\n");
  if (!response.head.ends_with("\r\n\r\n")) return response;
  const int status = response.status();
  if (to_head || status < 200 || status == 204 || status == 304) {
    response.complete = true;
  } else if (const auto length = response.field("Content-Length"); !length.empty()) {
    const auto wanted = std::stoul(length);
    response.body = read_exactly(wanted);
    response.complete = response.body.size() == wanted;
  } else if (response.field("Transfer-Encoding") == "chunked") {
    for (;;) {
      const auto line = read_until("\r\n");
      if (!line.ends_with("\r\n")) break;
      const auto size = std::stoul(line, nullptr, 16);
      const auto chunk = read_exactly(size + 2);
      if (chunk.size() != size + 2) break;
      response.body += chunk.substr(0, size);
      if (size == 0) {
        response.complete = true;
        break;
      }
    }
  } else {
    response.body = read_to_end();
    response.complete = true;
  }
  return response;
}

bool Socket::at_end() {
  if (!buffer_.empty()) return false;
  char byte;
  return ::recv(handle_, &byte, 1, 0) == 0;
}

void Socket::finish_sending() {
  ::shutdown(handle_, SHUT_WR);
}

void Socket::reset() {
  const linger hard{1, 0};
  setsockopt(handle_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close();
}

void Socket::close() {
  if (handle_ >= 0) ::close(handle_);
  handle_ = -1;
}

Listening::Listening(const char* text, unsigned short port)
    : handle_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  auto address = loopback(port);
  ::inet_pton(AF_INET, text, &address.sin_addr);
  set_patience(handle_);
  ::bind(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::listen(handle_, 64);
  socklen_t size = sizeof address;
  ::getsockname(handle_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

Listening::~Listening() {
  ::close(handle_);
}

Socket Listening::accept() {
  const int handle = ::accept4(handle_, nullptr, nullptr, SOCK_CLOEXEC);
  if (handle < 0) throw std::runtime_error(std::string("accept: ") + std::strerror(errno));
  set_patience(handle);
  return Socket(handle);
}

TestServer::TestServer(Handler handler, ServerOptions options) {
  const Address address{"127.0.0.1", 0};
  server_ = std::make_unique<Server>(loops_.executor(), address, std::move(options), std::move(handler));
  port_ = server_->local_address().port;
  auto start = [this]() -> Task<void> {
    server_->start();
    co_return;
  };
  loops_.run(start);
}

TestServer::~TestServer() {
  loops_.stop();
  server_.reset();
}

std::string TestServer::exchange(std::string_view request) const {
  auto socket = connect();
  socket.send(request);
  return socket.read_to_end();
}

PieceSource::PieceSource(std::vector<std::string> pieces, std::optional<std::uint64_t> length,
                         boost::system::error_code failure)
    : pieces_(std::move(pieces)), length_(length), failure_(failure) {}

Task<Result<std::size_t>> PieceSource::read_some(std::span<char> space, Deadline) {
  if (next_ == pieces_.size()) {
    if (failure_) co_return failure_;
    co_return 0u;
  }
  auto& piece = pieces_[next_];
  const auto count = std::min(space.size(), piece.size());
  std::memcpy(space.data(), piece.data(), count);
  piece.erase(0, count);
  if (piece.empty()) ++next_;
  co_return count;
}

Handler answer(std::string text) {
  return [text = std::move(text)](Request&) -> Task<Response> {
    Response response;
    response.body = text;
    co_return response;
  };
}

}  // namespace tessera::http::testing
