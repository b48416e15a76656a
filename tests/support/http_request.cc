// Framing follows RFC 9112 6.3 strictly: what does not fit it is an error of the Reply, never guessed at.
#include "tests/support/http_request.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace tessera::test {
namespace {

constexpr std::size_t kReadSize = 65'536;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::size_t> parse_size(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

void set_timeout(int socket, std::chrono::milliseconds limit) {
  timeval value{};
  value.tv_sec = static_cast<time_t>(limit.count() / 1000);
  value.tv_usec = static_cast<suseconds_t>(limit.count() % 1000 * 1000);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

int connect_to(const Url& url, std::chrono::milliseconds limit) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found) != 0) {
    throw std::runtime_error("no address for " + url.host);
  }
  int socket = -1;
  for (const addrinfo* each = found; each != nullptr && socket < 0; each = each->ai_next) {
    socket = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (socket < 0) continue;
    set_timeout(socket, limit);
    if (::connect(socket, each->ai_addr, each->ai_addrlen) != 0) {
      const int error = errno;
      ::close(socket);
      socket = -1;
      errno = error;
    }
  }
  const int error = errno;
  ::freeaddrinfo(found);
  if (socket < 0)
    throw std::runtime_error("cannot connect to " + url.authority() + ": " + std::strerror(error));
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

bool parse_status_line(std::string_view line, Reply& reply) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return false;
  reply.version = line.substr(0, 8);
  const auto status = parse_size(line.substr(9, 3), 10);
  if (!status) return false;
  reply.status = static_cast<int>(*status);
  return true;
}

bool parse_field(std::string_view line, Reply& reply) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  reply.fields.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  return true;
}

}  // namespace

std::optional<std::string> find_field(const FieldLines& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

std::string Reply::field(std::string_view name) const {
  return find_field(fields, name).value_or("");
}

std::vector<std::string> Reply::lines(std::string_view name) const {
  std::vector<std::string> result;
  for (const auto& [key, value] : fields) {
    if (equal_ignoring_case(key, name)) result.push_back(value);
  }
  return result;
}

Url parse_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) throw std::invalid_argument("not an http URL: " + std::string(url));
  Url result;
  const std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) result.target = rest.substr(slash);
  const std::size_t colon = authority.rfind(':');
  result.host = authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    const auto port = parse_size(authority.substr(colon + 1), 10);
    if (!port || *port > 65'535) throw std::invalid_argument("no port in " + std::string(url));
    result.port = static_cast<unsigned short>(*port);
  }
  return result;
}

std::string to_text(const Call& call, std::string_view host) {
  std::string text = call.method + " " + call.target + " " + call.version + "\r\n";
  if (!find_field(call.fields, "Host")) text.append("Host: ").append(host).append("\r\n");
  const bool framed =
      find_field(call.fields, "Content-Length") || find_field(call.fields, "Transfer-Encoding");
  if (!framed && (!call.body.empty() || (call.method != "GET" && call.method != "HEAD"))) {
    text += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
  }
  for (const auto& [name, value] : call.fields) text.append(name).append(": ").append(value).append("\r\n");
  return text + "\r\n" + call.body;
}

Connection::Connection(std::string_view url, std::chrono::milliseconds limit) {
  const Url parsed = parse_url(url);
  host_ = parsed.authority();
  socket_ = connect_to(parsed, limit);
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

Connection::Connection(Connection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      host_(std::move(other.host_)),
      buffer_(std::move(other.buffer_)),
      position_(other.position_),
      ended_(other.ended_) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(host_, other.host_);
  std::swap(buffer_, other.buffer_);
  std::swap(position_, other.position_);
  std::swap(ended_, other.ended_);
  return *this;
}

bool Connection::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Reply Connection::send(const Call& call) {
  // A peer that answers before it has read everything (413, 408) and closes is still worth reading.
  send_raw(to_text(call, host_));
  return read_reply(call.method);
}

Reply Connection::get(std::string_view target, const FieldLines& fields) {
  Call call;
  call.target = target;
  call.fields = fields;
  return send(call);
}

bool Connection::fill() {
  if (ended_) return false;
  if (position_ > 0) {
    buffer_.erase(0, position_);
    position_ = 0;
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kReadSize);
  ssize_t received = 0;
  do {
    received = ::recv(socket_, buffer_.data() + size, kReadSize, 0);
  } while (received < 0 && errno == EINTR);
  buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(received, 0)));
  if (received == 0) ended_ = true;
  return received > 0;
}

std::optional<std::string> Connection::read_line() {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = buffer_.find("\r\n", position_ + searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(position_, end - position_);
      position_ = end + 2;
      return line;
    }
    const std::size_t held = buffer_.size() - position_;
    searched = held == 0 ? 0 : held - 1;
    if (!fill()) return std::nullopt;
  }
}

bool Connection::read_bytes(std::string& to, std::size_t size) {
  while (size > 0) {
    const std::size_t part = std::min(size, buffer_.size() - position_);
    to.append(buffer_, position_, part);
    position_ += part;
    size -= part;
    if (size > 0 && !fill()) return false;
  }
  return true;
}

bool Connection::read_chunks(Reply& reply) {
  for (;;) {
    const auto line = read_line();
    if (!line) return false;
    const auto size = parse_size(trim(std::string_view(*line).substr(0, line->find(';'))), 16);
    if (!size) return false;
    if (*size == 0) break;
    if (!read_bytes(reply.body, *size)) return false;
    const auto end = read_line();
    if (!end || !end->empty()) return false;
  }
  for (;;) {
    const auto line = read_line();
    if (!line) return false;
    if (line->empty()) return true;
    if (!parse_field(*line, reply)) return false;
  }
}

bool Connection::read_body(Reply& reply, std::string_view method) {
  if (method == "HEAD" || reply.status == 204 || reply.status == 304) return true;
  if (equal_ignoring_case(reply.field("Transfer-Encoding"), "chunked")) return read_chunks(reply);
  if (reply.has("Content-Length")) {
    const auto size = parse_size(reply.field("Content-Length"), 10);
    if (size) reply.body.reserve(*size);
    return size && read_bytes(reply.body, *size);
  }
  reply.body = read_to_end();
  return ended_;
}

Reply Connection::read_reply(std::string_view method) {
  Reply reply;
  const auto fail = [&reply](const char* error) {
    reply.error = error;
    reply.done_at = std::chrono::steady_clock::now();
    return reply;
  };
  for (;;) {
    const auto status_line = read_line();
    if (!status_line) return fail("no response: the connection ended or timed out before a head");
    if (!parse_status_line(*status_line, reply))
      return fail("the response does not begin with a status line");
    for (;;) {
      const auto line = read_line();
      if (!line) return fail("the connection ended or timed out within the head");
      if (line->empty()) break;
      if (!parse_field(*line, reply)) return fail("the head holds a line that is no field");
    }
    if (reply.status < 100 || reply.status >= 200) break;
    const std::size_t interim = reply.interim + 1;
    reply = Reply{};
    reply.interim = interim;
  }
  reply.head_at = std::chrono::steady_clock::now();
  if (!read_body(reply, method)) return fail("the body is not complete");
  reply.done_at = std::chrono::steady_clock::now();
  return reply;
}

std::string Connection::read_some(std::size_t limit) {
  if (position_ == buffer_.size()) fill();
  std::string result = buffer_.substr(position_, limit);
  position_ += result.size();
  return result;
}

std::string Connection::read_to_end() {
  while (fill()) {
  }
  return read_some(std::string::npos);
}

bool Connection::closed_by_peer(std::chrono::milliseconds within) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  while (!ended_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd end{socket_, POLLIN, 0};
    if (left.count() < 0 || ::poll(&end, 1, static_cast<int>(left.count())) <= 0) return false;
    if (!fill()) ended_ = true;  // an end, or a reset
  }
  return true;
}

void Connection::finish_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void Connection::reset() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(socket_, -1));
}

void Connection::set_receive_buffer(int bytes) {
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

Reply request(std::string_view method, std::string_view url, const FieldLines& fields, std::string body) {
  Call call;
  call.method = method;
  call.fields = fields;
  call.body = std::move(body);
  if (!find_field(fields, "Connection")) call.fields.emplace_back("Connection", "close");
  try {
    call.target = parse_url(url).target;
    Connection connection(url);
    return connection.send(call);
  } catch (const std::runtime_error& error) {
    Reply reply;
    reply.error = error.what();
    reply.done_at = std::chrono::steady_clock::now();
    return reply;
  }
}

Reply get(std::string_view url, const FieldLines& fields) {
  return request("GET", url, fields);
}

}  // namespace tessera::test
