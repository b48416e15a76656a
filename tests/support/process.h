// A child process: started, watched, and ended again whatever happens to its owner.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tessera::test {

using Environment = std::map<std::string, std::string>;

// One thread owns a Process: the one that constructs it. The child dies with that thread, so that a crashed
// test leaves nothing running. Every call that fails throws std::runtime_error with a sentence that holds
// what the program has printed.
class Process {
 public:
  // `program` is a path, or a name to be found in PATH; `environment` is added to this process' own.
  Process(const std::string& program, const std::vector<std::string>& arguments,
          const Environment& environment = {});
  ~Process();  // ends the child with SIGKILL when it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }

  // The first line of standard output or error that holds `text`, waited for. Throws when the program ends,
  // or `limit` passes, without one.
  std::string wait_for_line(std::string_view text, std::chrono::milliseconds limit = kStartLimit);
  std::string output() const;  // standard output so far
  std::string errors() const;  // standard error so far

  void signal(int number);
  void freeze();  // SIGSTOP, and waits until the kernel says that it stands still
  void thaw();    // SIGCONT
  void kill();    // SIGKILL, and waits for the end
  // SIGTERM, and waits for the end. The exit status; 128 + the signal's number when a signal ended it (137
  // when `limit` passed and SIGKILL had to).
  int terminate(std::chrono::milliseconds limit = kStopLimit);
  // Waits for the program to end by itself; nullopt when it still runs after `limit`.
  std::optional<int> wait(std::chrono::milliseconds limit = kStopLimit);
  bool running();

  std::size_t resident_bytes() const;         // memory in use now (VmRSS)
  std::chrono::nanoseconds cpu_time() const;  // of all its threads so far, user and system

  static constexpr std::chrono::milliseconds kStartLimit{60'000};
  static constexpr std::chrono::milliseconds kStopLimit{30'000};

 private:
  struct Stream {
    int descriptor = -1;
    std::string text;
  };

  void read_streams();
  std::string printed() const;

  std::string program_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  mutable std::mutex mutex_;  // protects the streams' text and ended_
  std::condition_variable more_;
  Stream out_;
  Stream err_;
  bool ended_ = false;
  std::thread reader_;
};

}  // namespace tessera::test
