// Lines on their way to a file, written by a thread of their own: whoever adds one never waits for a disk or
// a pipe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tessera::proxy {

// Counted over all sinks that share it.
struct LogCounts {
  std::atomic<std::uint64_t> written{0};  // lines handed to the system
  std::atomic<std::uint64_t> dropped{0};  // lines that found no room, or could not be written
};

// Thread-safe.
class LogSink {
 public:
  static constexpr std::size_t kRoom = 4u << 20;  // bytes that may wait

  // Opens `file` for appending, and waits for nobody; "-" is standard output. Throws std::runtime_error when
  // it cannot. Lines for a named pipe are dropped while it has no reader.
  LogSink(std::string file, std::shared_ptr<LogCounts> counts);
  ~LogSink();  // writes what waits, as far as that takes no longer than a second
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  // Adds a line (without its end); one that finds no room is dropped and counted. That lines get lost, and
  // that they no longer do, is said in the log once.
  void add(std::string_view line);
  // Opens the file anew before the next line, for whoever rotates logs. When it cannot be opened the old one
  // is kept, and a warning logged.
  void reopen();
  const std::string& file() const { return file_; }
  const LogCounts& counts() const { return *counts_; }

 private:
  void run();
  void open_anew();
  void open_for_a_reader();
  void write_lines(std::string& batch, std::uint64_t lines);
  std::size_t write(std::string_view bytes);
  bool wait_until_writable();
  bool begins_to_lose();  // the mutex is held; true: the log does not know yet
  void lost(std::uint64_t lines, int error);
  void kept();

  const std::string file_;
  const std::shared_ptr<LogCounts> counts_;
  int descriptor_ = -1;   // -1: a pipe that has had no reader yet
  bool regular_ = false;  // a regular file: writing does not wait for a reader
  bool torn_ = false;     // what was written last is a part of a line
  std::mutex mutex_;      // protects the next five
  std::condition_variable more_;
  std::string waiting_;
  std::uint64_t lines_ = 0;  // in waiting_
  bool reopen_ = false;
  bool ending_ = false;
  bool losing_ = false;  // lines have been dropped, and the log says so
  std::thread writer_;
};

}  // namespace tessera::proxy
