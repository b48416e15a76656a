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

// Opening a pipe would wait for its reader: without one this fails with ENXIO.
int open_file(const std::string& file) {
  if (file == "-") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640);
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_same_file(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

LogSink::LogSink(std::string file, std::shared_ptr<LogCounts> counts)
    : file_(std::move(file)), counts_(std::move(counts)), descriptor_(open_file(file_)) {
  if (descriptor_ < 0 && errno != ENXIO) {
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
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LogSink::add(std::string_view line) {
  bool was_empty = false;
  bool is_full = false;
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    was_empty = waiting_.empty();
    is_full = waiting_.size() + line.size() + 1 > kRoom;
    is_news = is_full && begins_to_lose();
    if (!is_full) {
      waiting_.append(line).append(1, '\n');
      ++lines_;
    }
  }
  if (is_full) counts_->dropped.fetch_add(1, std::memory_order_relaxed);
  if (is_news) spdlog::warn("access_log.file = \"{}\" takes lines too slowly: some are dropped", file_);
  if (was_empty) more_.notify_one();
}

bool LogSink::begins_to_lose() {
  return !std::exchange(losing_, true) && !ending_;
}

// `error`: an errno, which is 0 or that of a pipe where there is no reader.
void LogSink::lost(std::uint64_t lines, int error) {
  counts_->dropped.fetch_add(lines, std::memory_order_relaxed);
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    is_news = begins_to_lose();
  }
  if (!is_news) return;
  const bool unread = error == 0 || error == ENXIO || error == EPIPE;
  const std::string cause = unread ? "nobody reads it" : std::strerror(error);
  spdlog::warn("access_log.file = \"{}\" cannot be written, lines are dropped: {}", file_, cause);
}

// All that there was has been written. With the room half empty again, so that it is not said of every batch.
void LogSink::kept() {
  {
    const std::lock_guard lock(mutex_);
    if (!losing_ || waiting_.size() > kRoom / 2) return;
    losing_ = false;
  }
  spdlog::info("access_log.file = \"{}\" is written again; {} lines in all have been dropped", file_,
               counts_->dropped.load(std::memory_order_relaxed));
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
    write_lines(batch, lines);
  }
}

void LogSink::open_anew() {
  if (file_ == "-") return;
  const int descriptor = open_file(file_);
  if (descriptor < 0) {
    spdlog::warn("access_log.file = \"{}\" cannot be opened anew: {}", file_, std::strerror(errno));
    return;
  }
  if (!is_same_file(descriptor, descriptor_)) torn_ = false;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
  regular_ = is_regular(descriptor_);
}

void LogSink::open_for_a_reader() {
  descriptor_ = open_file(file_);
  if (descriptor_ >= 0) regular_ = is_regular(descriptor_);  // or errno says why not
}

// Lines that are there to their last byte are written; the rest of the batch is dropped, and what there is of
// a line ends before the next one begins.
void LogSink::write_lines(std::string& batch, std::uint64_t lines) {
  if (batch.empty()) return;
  const bool was_torn = torn_;
  if (was_torn) batch.insert(batch.begin(), '\n');
  errno = 0;
  if (descriptor_ < 0) open_for_a_reader();
  const std::size_t size = descriptor_ < 0 ? 0 : write(batch);
  const int error = errno;
  std::uint64_t whole = lines;
  if (size < batch.size()) {
    const auto end = batch.begin() + static_cast<std::ptrdiff_t>(size);
    whole = static_cast<std::uint64_t>(std::count(batch.begin(), end, '\n'));
    if (was_torn && size > 0) --whole;
  }
  if (size > 0) torn_ = batch[size - 1] != '\n';
  counts_->written.fetch_add(whole, std::memory_order_relaxed);
  if (size < batch.size()) {
    lost(lines - whole, error);
  } else {
    kept();
  }
}

// A reader that does not read must not keep the process from ending.
bool LogSink::wait_until_writable() {
  std::chrono::steady_clock::time_point limit{};
  for (;;) {
    pollfd wanted{descriptor_, POLLOUT, 0};
    const int ready = ::poll(&wanted, 1, kPollStep);
    // A pipe that has lost its reader is called writable, too.
    if (ready > 0) return (wanted.revents & (POLLOUT | POLLERR)) == POLLOUT;
    if (ready < 0 && errno != EINTR) return false;
    const std::lock_guard lock(mutex_);
    if (!ending_) continue;
    const auto now = std::chrono::steady_clock::now();
    if (limit == std::chrono::steady_clock::time_point{}) limit = now + kLastWords;
    if (now > limit) return false;
  }
}

// How many of the bytes: all of them, or as many as went out before a failure.
std::size_t LogSink::write(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    if (!regular_ && !wait_until_writable()) break;
    const std::size_t left = bytes.size() - done;
    const ssize_t written =
        ::write(descriptor_, bytes.data() + done, regular_ ? left : std::min(left, kPipeStep));
    if (written < 0 && (errno == EINTR || (errno == EAGAIN && !regular_))) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

}  // namespace tessera::proxy
