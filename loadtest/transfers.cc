#include "loadtest/transfers.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <openssl/evp.h>

#include "tests/support/programs.h"
#include "tests/support/socket.h"

namespace tessera::loadtest {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kMayGrow = 16 << 20;

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      char byte[3];
      std::snprintf(byte, sizeof byte, "%02x", digest[i]);
      text += byte;
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

// The body that is sent in both directions: no two pieces are alike.
class Body {
 public:
  explicit Body(std::uint64_t size) : left_(size) {}

  std::string_view next() {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece));
    left_ -= size;
    piece_.resize(kPiece);
    for (std::size_t i = 0; i < kPiece; i += sizeof state_) {
      state_ = state_ * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
      std::copy_n(reinterpret_cast<const char*>(&state_), sizeof state_,
                  piece_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return std::string_view(piece_).substr(0, size);
  }

 private:
  std::uint64_t left_;
  std::uint64_t state_ = 42;
  std::string piece_;
};

bool send_body(test::Socket& socket, std::uint64_t size, bool chunked) {
  Body body(size);
  for (std::string_view piece = body.next(); !piece.empty(); piece = body.next()) {
    if (chunked) {
      char line[32];
      std::snprintf(line, sizeof line, "%zx\r\n", piece.size());
      if (!socket.send_all(line)) return false;
    }
    if (!socket.send_all(piece)) return false;
    if (chunked && !socket.send_all("\r\n")) return false;
  }
  return !chunked || socket.send_all("0\r\n\r\n");
}

// Reads messages from a socket, bodies piece by piece.
class Reader {
 public:
  explicit Reader(test::Socket& socket) : socket_(socket) {}

  // With its last empty line; "" at the end of the connection.
  std::string head() {
    for (;;) {
      const auto end = buffer_.find("\r\n\r\n");
      if (end != std::string::npos) return take(end + 4);
      if (!fill()) return {};
    }
  }

  // False when the body did not come whole.
  bool body(std::string_view head, const std::function<void(std::string_view)>& sink) {
    if (const auto length = number(head, "content-length: ", 10)) return bytes(*length, sink);
    for (;;) {
      const std::string line = take_line();
      const auto size = number("x" + line, "x", 16);
      if (!size) return false;
      if (*size == 0) return take_line() == "\r\n";
      if (!bytes(*size, sink) || take_line() != "\r\n") return false;
    }
  }

 private:
  static std::optional<std::uint64_t> number(std::string_view text, std::string_view name, int base) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto at = lower.find(name);
    if (at == std::string::npos) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(lower.data() + at + name.size(), lower.data() + lower.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    return value;
  }

  bool bytes(std::uint64_t left, const std::function<void(std::string_view)>& sink) {
    while (left > 0) {
      if (buffer_.empty() && !fill()) return false;
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
      sink(std::string_view(buffer_).substr(0, size));
      buffer_.erase(0, size);
      left -= size;
    }
    return true;
  }
  std::string take_line() {
    for (;;) {
      const auto end = buffer_.find("\r\n");
      if (end != std::string::npos) return take(end + 2);
      if (!fill()) return {};
    }
  }
  std::string take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }
  bool fill() {
    const std::string more = socket_.receive(kPiece);
    buffer_ += more;
    return !more.empty();
  }

  test::Socket& socket_;
  std::string buffer_;
};

// Answers GET with the body (/chunked: in chunks) and anything else with the digest of what came.
class ByteOrigin {
 public:
  explicit ByteOrigin(std::uint64_t size)
      : size_(size), listening_(test::Socket::listen_on_loopback()), thread_([this] { run(); }) {}
  ~ByteOrigin() {
    listening_.shut_down();
    thread_.join();
  }
  ByteOrigin(const ByteOrigin&) = delete;
  ByteOrigin& operator=(const ByteOrigin&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listening_.port()); }

 private:
  void run() {
    while (auto socket = listening_.accept()) {
      Reader reader(*socket);
      const std::string head = reader.head();
      const bool chunked = head.find("/chunked ") != std::string::npos;
      if (head.starts_with("GET")) {
        socket->send_all(
            "HTTP/1.1 200 OK\r\nConnection: close\r\n" +
            (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + std::to_string(size_)) +
            "\r\n\r\n");
        send_body(*socket, size_, chunked);
      } else {
        Sha256 digest;
        const bool whole = reader.body(head, [&](std::string_view bytes) { digest.add(bytes); });
        const std::string text = whole ? digest.hex() : "the body was cut";
        socket->send_all("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " +
                         std::to_string(text.size()) + "\r\n\r\n" + text);
      }
    }
  }

  const std::uint64_t size_;
  test::Socket listening_;
  std::thread thread_;
};

// The most that a process holds, looked at again and again.
class Watch {
 public:
  explicit Watch(test::Process& process)
      : process_(process), first_(process.resident_bytes()), thread_([this] { run(); }) {}
  ~Watch() {
    stop_ = true;
    thread_.join();
  }
  std::size_t growth() const { return most_.load() > first_ ? most_.load() - first_ : 0; }

 private:
  void run() {
    while (!stop_) {
      most_ = std::max(most_.load(), process_.resident_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  test::Process& process_;
  const std::size_t first_;
  std::atomic<std::size_t> most_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The digest of what the other side got; "" when the exchange failed.
std::string download(unsigned short port, std::string_view target) {
  auto socket = test::Socket::connect_loopback(port);
  if (!socket) return {};
  socket->send_all("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  Reader reader(*socket);
  Sha256 digest;
  const std::string head = reader.head();
  return reader.body(head, [&](std::string_view bytes) { digest.add(bytes); }) ? digest.hex() : std::string();
}

std::string upload(unsigned short port, std::uint64_t size, bool chunked) {
  auto socket = test::Socket::connect_loopback(port);
  if (!socket) return {};
  socket->send_all("POST /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                   (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + std::to_string(size)) +
                   "\r\n\r\n");
  if (!send_body(*socket, size, chunked)) return {};
  Reader reader(*socket);
  std::string answer;
  const std::string head = reader.head();
  return reader.body(head, [&](std::string_view bytes) { answer += bytes; }) ? answer : std::string();
}

}  // namespace

int run_transfers(const TransferOptions& options) {
  const std::uint64_t size = options.mebibytes << 20U;
  Sha256 sent;
  Body body(size);
  for (std::string_view piece = body.next(); !piece.empty(); piece = body.next()) sent.add(piece);
  const std::string expected = sent.hex();
  std::printf("%llu MiB, sha256 %s\n", static_cast<unsigned long long>(options.mebibytes), expected.c_str());

  const ByteOrigin origin(size);
  test::ProxyProgram proxy(origin.url());
  const unsigned short port = test::parse_url(proxy.url()).port;
  int broken = 0;
  const auto judge = [&](const char* what, const std::function<std::string()>& transfer) {
    const Watch watch(proxy.process());
    const std::string digest = transfer();
    const std::size_t growth = watch.growth();
    const bool kept = digest == expected && growth < kMayGrow;
    std::printf("%s: %-18s sha256 %s, resident memory grew by %.1f MiB\n", kept ? "kept" : "BROKEN", what,
                digest == expected ? "equal" : digest.c_str(), static_cast<double>(growth) / (1 << 20));
    if (!kept) ++broken;
  };
  judge("down, with length", [&] { return download(port, "/down"); });
  judge("down, in chunks", [&] { return download(port, "/chunked"); });
  judge("up, with length", [&] { return upload(port, size, false); });
  judge("up, in chunks", [&] { return upload(port, size, true); });
  return broken == 0 ? 0 : 1;
}

}  // namespace tessera::loadtest
