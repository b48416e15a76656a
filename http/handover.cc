// No connection is lost, for a listening socket and its queue belong to whoever holds a descriptor of it: the
// successor has one of every socket before it says that it accepts, and only then is ours closed. In between
// both accept.
#include "http/handover.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include "http/handover_wire.h"
#include "http/task.h"
#include "http/task_group.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Descriptor = asio::posix::stream_descriptor;

// Out of file descriptors or memory: another try is made after this.
constexpr auto kShortagePause = std::chrono::milliseconds(100);

// Asio may end a wait for nothing: an event of a descriptor that was closed can reach the next one that gets
// its place in the reactor.
Task<bool> wait_readable(Descriptor& descriptor) {
  for (;;) {
    error_code error;
    co_await descriptor.async_wait(Descriptor::wait_read, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return false;
    pollfd now{descriptor.native_handle(), POLLIN, 0};
    if (::poll(&now, 1, 0) != 0) co_return true;
  }
}

// False also when the deadline has passed. The timer's handler may run after the wait: it owns a share.
Task<bool> wait_readable(std::shared_ptr<Descriptor> descriptor, Deadline deadline) {
  asio::steady_timer timer(descriptor->get_executor(), deadline);
  timer.async_wait([descriptor](const error_code& error) {
    error_code ignored;
    if (!error) descriptor->cancel(ignored);
  });
  const bool readable = co_await wait_readable(*descriptor);
  co_return readable;
}

// Of a process that was told that it comes too late: whatever it still says.
Task<void> wait_for_end(std::shared_ptr<Descriptor> channel, Deadline deadline) {
  for (;;) {
    const bool readable = co_await wait_readable(channel, deadline);
    if (!readable || !handover::receive_packet(channel->native_handle())) co_return;
  }
}

bool is_passing(int error) {
  return error == EAGAIN || error == EINTR || error == ECONNABORTED;
}

// Bound under another name and then moved, so that at no time nobody is at `path`.
int listen_at(const std::string& path) {
  const std::string own = path + "." + std::to_string(::getpid());
  const auto address = handover::address_of(own);
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || !address) throw std::runtime_error("listen.handover: no socket can be opened");
  ::unlink(own.c_str());
  const bool there = ::bind(listener, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0 &&
                     ::chmod(own.c_str(), 0600) == 0 && ::listen(listener, 1) == 0 &&
                     std::rename(own.c_str(), path.c_str()) == 0;
  if (there) return listener;
  const std::string cause = std::strerror(errno);
  ::unlink(own.c_str());
  ::close(listener);
  throw std::runtime_error("listen.handover = \"" + path + "\" cannot be made: " + cause);
}

}  // namespace

struct Handover::Impl : std::enable_shared_from_this<Handover::Impl> {
  Impl(const asio::any_io_executor& executor, std::string at, Sockets what, std::function<void()> then,
       std::chrono::milliseconds longest)
      : path(std::move(at)),
        sockets(std::move(what)),
        taken(std::move(then)),
        patience(longest),
        tasks(executor),
        listener(executor, listen_at(path)) {
    note_inode();
  }

  Task<void> run();
  Task<bool> hand_over(std::shared_ptr<Descriptor> channel);
  bool send_sockets(int channel) const;
  bool is_at_path() const;
  void note_inode();
  void listen_again();
  void remove() const;

  const std::string path;
  const Sockets sockets;
  const std::function<void()> taken;
  const std::chrono::milliseconds patience;
  TaskGroup tasks;
  Descriptor listener;
  bool closed = false;  // nothing is put at `path` any more
  ino_t inode = 0;      // of our socket: what is at `path` may be a successor's
};

Task<void> Handover::Impl::run() {
  for (;;) {
    const bool readable = co_await wait_readable(listener);
    if (!readable) co_return;
    const int accepted = ::accept4(listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) {
      if (!is_passing(errno)) co_await sleep_until(std::chrono::steady_clock::now() + kShortagePause);
      continue;
    }
    auto channel = std::make_shared<Descriptor>(listener.get_executor(), accepted);
    const bool done = co_await hand_over(std::move(channel));
    if (done) break;
    if (closed) co_return;
    if (!is_at_path()) listen_again();
  }
  error_code ignored;
  listener.close(ignored);
  taken();
}

// One at a time: a second successor waits until the first has said whether it lives.
Task<bool> Handover::Impl::hand_over(std::shared_ptr<Descriptor> channel) {
  if (!handover::is_one_of_us(channel->native_handle())) {
    spdlog::warn("listen.handover: a process of another user asked for the sockets and was refused");
    co_return false;
  }
  if (!send_sockets(channel->native_handle())) co_return false;
  const bool readable = co_await wait_readable(channel, std::chrono::steady_clock::now() + patience);
  if (!readable && closed) co_return false;
  if (!readable) {
    handover::send_packet(channel->native_handle(), handover::kEnd, {});
    spdlog::warn(
        "listen.handover: the process that asked for the sockets has not accepted in time; this one goes on");
    co_await wait_for_end(channel, std::chrono::steady_clock::now() + patience);
    co_return false;
  }
  const auto answer = handover::receive_packet(channel->native_handle());
  if (answer && answer->text == handover::kReady &&
      handover::send_packet(channel->native_handle(), handover::kTaken, {})) {
    co_return true;
  }
  spdlog::warn(
      "listen.handover: the process that asked for the sockets ended before it accepted; this one goes on");
  co_return false;
}

bool Handover::Impl::send_sockets(int channel) const {
  const auto all = sockets();
  if (all.empty()) return false;
  for (std::size_t from = 0; from < all.size(); from += handover::kPacketSockets) {
    std::string text(handover::kGreeting);
    std::vector<int> descriptors;
    for (std::size_t i = from; i < all.size() && i < from + handover::kPacketSockets; ++i) {
      text.append(1, '\n').append(all[i].first);
      descriptors.push_back(all[i].second);
    }
    if (!handover::send_packet(channel, text, descriptors)) return false;
  }
  return handover::send_packet(channel, handover::kEnd, {});
}

bool Handover::Impl::is_at_path() const {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_ino == inode;
}

// A successor that failed has left its own socket in our place.
void Handover::Impl::listen_again() {
  try {
    const int descriptor = listen_at(path);
    error_code ignored;
    listener.close(ignored);
    listener.assign(descriptor, ignored);
    note_inode();
  } catch (const std::runtime_error& error) {
    spdlog::error("{}", error.what());
  }
}

void Handover::Impl::note_inode() {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) inode = status.st_ino;
}

void Handover::Impl::remove() const {
  if (is_at_path()) ::unlink(path.c_str());
}

Handover::Handover(asio::any_io_executor executor, std::string path, Sockets sockets,
                   std::function<void()> taken, std::chrono::milliseconds patience)
    : impl_(std::make_shared<Impl>(executor, std::move(path), std::move(sockets), std::move(taken),
                                   patience)) {}

Handover::~Handover() = default;

void Handover::start() {
  impl_->tasks.spawn([impl = impl_] { return impl->run(); });
}

void Handover::close() {
  impl_->closed = true;
  impl_->remove();
  impl_->tasks.cancel();
  error_code ignored;
  impl_->listener.close(ignored);
}

}  // namespace tessera::http
