// Bodies are counted, not looked at. Only responses with a Content-Length are understood: all servers that
// this measures send one.
#include "loadtest/bulk_client.h"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "tests/support/http_request.h"

namespace tessera::loadtest {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kReadSize = 262'144;

struct Peer {
  int socket = -1;
  std::string head;             // of the response that is coming, while it is not complete
  std::uint64_t remaining = 0;  // bytes of its body
  bool in_body = false;
};

int connect_to(const test::Url& url) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(url.port);
  if (::inet_pton(AF_INET, url.host.c_str(), &address.sin_addr) != 1 ||
      ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    throw std::runtime_error("cannot connect to " + url.authority());
  }
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

class BulkClient {
 public:
  explicit BulkClient(const BulkOptions& options) : url_(test::parse_url(options.url)), buffer_(kReadSize) {
    test::Call call;
    call.target = url_.target;
    request_ = test::to_text(call, url_.authority());
    poll_ = ::epoll_create1(EPOLL_CLOEXEC);
    peers_.resize(options.connections);
  }
  ~BulkClient() {
    for (const Peer& peer : peers_) {
      if (peer.socket >= 0) ::close(peer.socket);
    }
    ::close(poll_);
  }
  BulkClient(const BulkClient&) = delete;
  BulkClient& operator=(const BulkClient&) = delete;

  BulkResult run(double seconds) {
    for (Peer& peer : peers_) open(peer);
    const auto start = Clock::now();
    const auto end = start + std::chrono::duration<double>(seconds);
    std::vector<epoll_event> events(peers_.size());
    while (Clock::now() < end) {
      const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 100);
      for (int i = 0; i < count; ++i)
        serve(*static_cast<Peer*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result_;
  }

 private:
  void open(Peer& peer) {
    peer = Peer{};
    peer.socket = connect_to(url_);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &peer;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, peer.socket, &event);
    send_request(peer);
  }

  // A request is far smaller than an empty socket buffer: it always goes at once.
  void send_request(const Peer& peer) {
    if (::send(peer.socket, request_.data(), request_.size(), MSG_NOSIGNAL) < 0) ++result_.errors;
  }

  void serve(Peer& peer) {
    const ssize_t size = ::recv(peer.socket, buffer_.data(), buffer_.size(), 0);
    if (size < 0 && errno == EINTR) return;
    if (size <= 0 || !take(peer, {buffer_.data(), static_cast<std::size_t>(size)})) {
      ++result_.errors;
      ::close(peer.socket);
      open(peer);
    }
  }

  bool take(Peer& peer, std::string_view bytes) {
    if (!peer.in_body) {
      peer.head.append(bytes);
      const std::size_t end = peer.head.find("\r\n\r\n");
      if (end == std::string::npos) return true;
      bytes.remove_prefix(bytes.size() - (peer.head.size() - end - 4));
      peer.head.resize(end + 2);
      if (!read_head(peer)) return false;
    }
    if (bytes.size() > peer.remaining) return false;
    peer.remaining -= bytes.size();
    result_.bytes += bytes.size();
    if (peer.remaining > 0) return true;
    ++result_.responses;
    peer.in_body = false;
    peer.head.clear();
    send_request(peer);
    return true;
  }

  static bool read_head(Peer& peer) {
    if (peer.head.compare(0, 12, "HTTP/1.1 200") != 0) return false;
    for (const char* name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
      const std::size_t at = peer.head.find(name);
      if (at == std::string::npos) continue;
      peer.remaining = std::stoull(peer.head.substr(at + std::strlen(name)));
      peer.in_body = true;
      return true;
    }
    return false;
  }

  test::Url url_;
  std::string request_;
  std::vector<char> buffer_;
  std::vector<Peer> peers_;
  int poll_ = -1;
  BulkResult result_;
};

}  // namespace

BulkResult run_bulk(const BulkOptions& options) {
  return BulkClient(options).run(options.seconds);
}

int print_bulk(const BulkOptions& options) {
  const BulkResult result = run_bulk(options);
  std::printf("%.1f requests/s, %llu responses, %.1f MB/s, %llu errors\n",
              static_cast<double>(result.responses) / result.seconds,
              static_cast<unsigned long long>(result.responses),
              static_cast<double>(result.bytes) / result.seconds / 1e6,
              static_cast<unsigned long long>(result.errors));
  return result.errors == 0 ? 0 : 1;
}

}  // namespace tessera::loadtest
