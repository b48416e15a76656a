#include "proxy/log_sink.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <spdlog/spdlog.h>

namespace tessera::proxy {
namespace {

constexpr std::size_t kPipeStep = 4096;  // a pipe that poll() calls writable takes so much without blocking
constexpr int kPollStep = 100;           // ms
constexpr auto kLastWords = std::chrono::seconds(1);

int open_file(const std::string& file) {
  if (file == "-") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

LogSink::LogSink(std::string file, std::shared_ptr<LogCounts> counts)
    : file_(std::move(file)), counts_(std::move(counts)), descriptor_(open_file(file_)) {
  if (descriptor_ < 0) {
    throw std::runtime_error("access_log.file = \"" + file_ + "\" cannot be opened: " + std::strerror(errno));
  }
  regular_ = is_regular(descriptor_);
  writer_ = std::thread([this] { run(); });
}

LogSink::~LogSink() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_one();
  writer_.join();
  ::close(descriptor_);
}

void LogSink::add(std::string_view line) {
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() + 1 > kRoom) {
      counts_->dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    was_empty = waiting_.empty();
    waiting_.append(line).append(1, '\n');
    ++lines_;
  }
  if (was_empty) more_.notify_one();
}

void LogSink::reopen() {
  {
    const std::lock_guard lock(mutex_);
    reopen_ = true;
  }
  more_.notify_one();
}

void LogSink::run() {
  std::string batch;
  for (;;) {
    batch.clear();
    std::uint64_t lines = 0;
    bool anew = false;
    bool last = false;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return !waiting_.empty() || reopen_ || ending_; });
      batch.swap(waiting_);
      lines = std::exchange(lines_, 0);
      anew = std::exchange(reopen_, false);
      last = ending_ && batch.empty();
    }
    if (last) return;
    if (anew) open_anew();
    auto& counter = write(batch) ? counts_->written : counts_->dropped;
    counter.fetch_add(lines, std::memory_order_relaxed);
  }
}

void LogSink::open_anew() {
  if (file_ == "-") return;
  const int descriptor = open_file(file_);
  if (descriptor < 0) {
    spdlog::warn("access_log.file = \"{}\" cannot be opened anew: {}", file_, std::strerror(errno));
    return;
  }
  ::close(std::exchange(descriptor_, descriptor));
  regular_ = is_regular(descriptor_);
}

// A reader that does not read must not keep the process from ending.
bool LogSink::wait_until_writable() {
  std::chrono::steady_clock::time_point limit{};
  for (;;) {
    pollfd wanted{descriptor_, POLLOUT, 0};
    const int ready = ::poll(&wanted, 1, kPollStep);
    if (ready > 0) return (wanted.revents & POLLOUT) != 0;
    if (ready < 0 && errno != EINTR) return false;
    const std::lock_guard lock(mutex_);
    if (!ending_) continue;
    const auto now = std::chrono::steady_clock::now();
    if (limit == std::chrono::steady_clock::time_point{}) limit = now + kLastWords;
    if (now > limit) return false;
  }
}

bool LogSink::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!regular_ && !wait_until_writable()) return false;
    const std::size_t step = regular_ ? bytes.size() : std::min(bytes.size(), kPipeStep);
    const ssize_t written = ::write(descriptor_, bytes.data(), step);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace tessera::proxy
