// One thread accepts, and each connection has a thread of its own that reads a request, asks the script and
// writes. The destructor shuts every socket down, which wakes those threads, and joins them.
#include "tests/support/scripted_origin.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace tessera::test {
namespace {

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

Kind kind_of(const SeenRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") return Kind::other;
  const bool asks_manifest = request.field("Accept").find(kManifestType) != std::string::npos;
  if (asks_manifest || request.path().ends_with("/manifest")) return Kind::manifest;
  return request.parameter("ids") ? Kind::records : Kind::collection;
}

std::string chunked(std::string_view body) {
  constexpr std::size_t kPart = 1000;
  std::string text;
  while (!body.empty()) {
    const std::string_view part = body.substr(0, kPart);
    char size[16];
    const auto end = std::to_chars(size, size + sizeof size, part.size(), 16).ptr;
    text.append(size, end).append("\r\n").append(part).append("\r\n");
    body.remove_prefix(part.size());
  }
  return text + "0\r\n\r\n";
}

std::string response_text(const ScriptedReply& reply, bool head_only) {
  if (reply.raw) return reply.interim + *reply.raw;
  std::string text = reply.interim + "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\n";
  for (const auto& [name, value] : reply.fields) text.append(name).append(": ").append(value).append("\r\n");
  const bool bodyless = reply.status == 304 || reply.status == 204;
  if (reply.framing == ScriptedReply::Framing::chunked) {
    text += "Transfer-Encoding: chunked\r\n";
  } else if (reply.framing == ScriptedReply::Framing::length && !bodyless) {
    text += "Content-Length: " + std::to_string(reply.declared_length.value_or(reply.body.size())) + "\r\n";
  }
  if (reply.close || reply.framing == ScriptedReply::Framing::until_close) text += "Connection: close\r\n";
  text += "\r\n";
  if (head_only || bodyless) return text;
  return text + (reply.framing == ScriptedReply::Framing::chunked ? chunked(reply.body) : reply.body);
}

}  // namespace

struct ScriptedOrigin::Peer {
  int socket = -1;
  std::size_t number = 0;
  std::string buffer;
  std::thread thread;

  bool fill() {
    char part[16'384];
    const ssize_t size = ::recv(socket, part, sizeof part, 0);
    if (size <= 0) return false;
    buffer.append(part, static_cast<std::size_t>(size));
    return true;
  }
  std::optional<std::string> line() {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n")) == std::string::npos) {
      if (!fill()) return std::nullopt;
    }
    std::string result = buffer.substr(0, end);
    buffer.erase(0, end + 2);
    return result;
  }
  bool bytes(std::string& to, std::size_t size) {
    while (buffer.size() < size) {
      if (!fill()) return false;
    }
    to.append(buffer, 0, size);
    buffer.erase(0, size);
    return true;
  }
  bool chunks(std::string& to) {
    for (;;) {
      const auto head = line();
      if (!head) return false;
      const std::size_t size = std::stoul(*head, nullptr, 16);
      if (size > 0 && !bytes(to, size)) return false;
      if (!line()) return false;
      if (size == 0) return true;
    }
  }
};

std::optional<std::string> SeenRequest::parameter(std::string_view name) const {
  const std::size_t mark = target.find('?');
  if (mark == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(target).substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    const std::size_t equals = part.find('=');
    if (part.substr(0, equals) == name) {
      return std::string(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    }
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return std::nullopt;
}

std::vector<std::string> SeenRequest::ids() const {
  std::vector<std::string> result;
  const std::string list = parameter("ids").value_or("");
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

ScriptedReply json_reply(std::string body, FieldLines fields) {
  ScriptedReply reply;
  reply.fields = std::move(fields);
  if (!find_field(reply.fields, "Content-Type")) {
    reply.fields.emplace_back("Content-Type", "application/json; charset=utf-8");
  }
  reply.body = std::move(body);
  return reply;
}

ScriptedReply manifest_reply(std::string_view schema,
                             const std::vector<std::pair<std::string, std::string>>& records,
                             FieldLines fields) {
  std::string body = "{\"schema\":\"" + std::string(schema) + "\",\"records\":[";
  for (const auto& [id, version] : records) {
    if (body.back() != '[') body += ',';
    body.append("[").append(id).append(",").append(version).append("]");
  }
  body += "]}";
  fields.emplace_back("Content-Type", kManifestType);
  fields.emplace_back("Vary", "Accept");
  return json_reply(std::move(body), std::move(fields));
}

ScriptedOrigin::ScriptedOrigin(Script script) : script_(std::move(script)) {
  if (::pipe(wake_) != 0) throw std::runtime_error("no pipe");
  listen();
  acceptor_ = std::thread([this] { accept_loop(); });
}

ScriptedOrigin::~ScriptedOrigin() {
  refuse();
  ::close(wake_[0]);
  ::close(wake_[1]);
}

void ScriptedOrigin::listen() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 512) != 0) {
    throw std::runtime_error(std::string("the scripted origin cannot listen: ") + std::strerror(errno));
  }
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

void ScriptedOrigin::accept_loop() {
  for (;;) {
    pollfd ends[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) return;
    if (ends[1].revents != 0) return;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::lock_guard lock(mutex_);
    auto peer = std::make_unique<Peer>();
    peer->socket = socket;
    peer->number = ++accepted_;
    Peer& started = *peer;
    peers_.push_back(std::move(peer));
    started.thread = std::thread([this, &started] { serve(started); });
  }
}

void ScriptedOrigin::serve(Peer& peer) {
  while (auto request = read_request(peer)) {
    Script script;
    {
      const std::lock_guard lock(mutex_);
      request->number = ++numbered_;
      seen_.push_back(*request);
      script = script_;
      changed_.notify_all();
    }
    if (!answer(peer, script(*request), *request)) break;
  }
  // Only shut down: the descriptor stays ours until the thread is joined, so that refuse() never meets
  // another's.
  ::shutdown(peer.socket, SHUT_RDWR);
}

std::optional<SeenRequest> ScriptedOrigin::read_request(Peer& peer) {
  const auto first = peer.line();
  if (!first) return std::nullopt;
  SeenRequest request;
  request.connection = peer.number;
  const std::size_t space = first->find(' ');
  const std::size_t last = first->rfind(' ');
  if (space == std::string::npos || last == space) return std::nullopt;
  request.method = first->substr(0, space);
  request.target = first->substr(space + 1, last - space - 1);
  request.version = first->substr(last + 1);
  for (;;) {
    const auto line = peer.line();
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos) return std::nullopt;
    const std::size_t value = line->find_first_not_of(" \t", colon + 1);
    request.fields.emplace_back(line->substr(0, colon),
                                value == std::string::npos ? "" : line->substr(value));
  }
  if (request.has("Transfer-Encoding")) {
    if (!peer.chunks(request.body)) return std::nullopt;
  } else if (request.has("Content-Length")) {
    if (!peer.bytes(request.body, std::stoul(request.field("Content-Length")))) return std::nullopt;
  }
  request.kind = kind_of(request);
  return request;
}

bool ScriptedOrigin::answer(Peer& peer, const ScriptedReply& reply, const SeenRequest& request) {
  std::string text = response_text(reply, request.method == "HEAD");
  const bool cut = reply.cut_after.has_value();
  if (cut) text.resize(std::min(text.size(), *reply.cut_after));
  std::string_view rest = text;
  if (reply.pause_at) {
    const std::string_view before = rest.substr(0, reply.pause_after);
    if (!send_all(peer.socket, before)) return false;
    rest.remove_prefix(before.size());
    reply.pause_at->pass();
  }
  if (!send_all(peer.socket, rest)) return false;
  if (reply.reset) {
    // Aborts the connection at once while its descriptor stays ours (see serve).
    sockaddr nowhere{};
    nowhere.sa_family = AF_UNSPEC;
    ::connect(peer.socket, &nowhere, sizeof nowhere);
    return false;
  }
  const std::string wish = request.field("Connection");
  const bool last =
      request.version == "HTTP/1.0" ? wish != "Keep-Alive" && wish != "keep-alive" : wish == "close";
  return !last && !cut && !reply.close && reply.framing != ScriptedReply::Framing::until_close;
}

std::string ScriptedOrigin::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void ScriptedOrigin::set_script(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

std::vector<SeenRequest> ScriptedOrigin::requests() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::vector<SeenRequest> ScriptedOrigin::requests(Kind kind) const {
  std::vector<SeenRequest> result;
  for (SeenRequest& request : requests()) {
    if (request.kind == kind) result.push_back(std::move(request));
  }
  return result;
}

std::size_t ScriptedOrigin::calls() const {
  return requests().size();
}

std::size_t ScriptedOrigin::calls(Kind kind) const {
  return requests(kind).size();
}

std::size_t ScriptedOrigin::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

void ScriptedOrigin::forget() {
  const std::lock_guard lock(mutex_);
  seen_.clear();
}

bool ScriptedOrigin::wait_for_calls(Kind kind, std::size_t count) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, Gate::kLimit, [&] {
    std::size_t found = 0;
    for (const SeenRequest& request : seen_) found += request.kind == kind ? 1 : 0;
    return found >= count;
  });
}

void ScriptedOrigin::refuse() {
  if (listener_ < 0) return;
  [[maybe_unused]] const auto written = ::write(wake_[1], "x", 1);
  acceptor_.join();
  ::close(std::exchange(listener_, -1));
  char byte = 0;
  [[maybe_unused]] const auto drained = ::read(wake_[0], &byte, 1);
  cut_peers();
}

void ScriptedOrigin::cut_peers() {
  std::list<std::unique_ptr<Peer>> peers;
  {
    const std::lock_guard lock(mutex_);
    peers.swap(peers_);
    for (const auto& peer : peers) ::shutdown(peer->socket, SHUT_RDWR);
  }
  for (const auto& peer : peers) {
    peer->thread.join();
    ::close(peer->socket);
  }
}

void ScriptedOrigin::accept() {
  if (listener_ >= 0) return;
  listen();
  acceptor_ = std::thread([this] { accept_loop(); });
}

}  // namespace tessera::test
