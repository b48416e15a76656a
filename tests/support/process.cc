// Both streams are read by one thread until their end, so that a program that prints much never blocks.
#include "tests/support/process.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tessera::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

// The child's environment as execvpe() takes it; the strings must outlive the vector.
std::vector<std::string> merged_environment(const Environment& added) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) lines.emplace_back(text);
  }
  for (const auto& [name, value] : added) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& lines) {
  std::vector<char*> result;
  for (std::string& line : lines) result.push_back(line.data());
  result.push_back(nullptr);
  return result;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  }
};

// Between fork and exec only calls that are safe in a child of a program with threads.
[[noreturn]] void run_child(const char* program, char* const* arguments, char* const* environment, int out,
                            int err, int problem, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::execvpe(program, arguments, environment);
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(problem, &error, sizeof error);
  ::_exit(127);
}

int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::optional<std::string> line_with(const std::string& text, std::string_view part, bool ended) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos && !ended) return std::nullopt;
    const std::string line = text.substr(begin, end == std::string::npos ? end : end - begin);
    if (line.find(part) != std::string::npos) return line;
    if (end == std::string::npos) return std::nullopt;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

Process::Process(const std::string& program, const std::vector<std::string>& arguments,
                 const Environment& environment)
    : program_(program) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> lines = merged_environment(environment);
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> line_pointers = pointers(lines);
  Pipe out;
  Pipe err;
  Pipe problem;
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail("cannot fork");
  if (pid_ == 0) {
    run_child(program.c_str(), word_pointers.data(), line_pointers.data(), out.ends[1], err.ends[1],
              problem.ends[1], parent);
  }
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  ::close(problem.ends[1]);
  int error = 0;
  const bool failed = ::read(problem.ends[0], &error, sizeof error) == sizeof error;
  ::close(problem.ends[0]);
  if (failed) {
    ::close(out.ends[0]);
    ::close(err.ends[0]);
    ::waitpid(pid_, nullptr, 0);
    errno = error;
    fail("cannot run " + program);
  }
  out_.descriptor = out.ends[0];
  err_.descriptor = err.ends[0];
  reader_ = std::thread([this] { read_streams(); });
}

Process::~Process() {
  if (!status_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  reader_.join();
  ::close(out_.descriptor);
  ::close(err_.descriptor);
}

void Process::read_streams() {
  pollfd ends[2] = {{out_.descriptor, POLLIN, 0}, {err_.descriptor, POLLIN, 0}};
  Stream* const streams[2] = {&out_, &err_};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends, 2, -1) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t size = ::read(ends[i].fd, buffer, sizeof buffer);
      if (size < 0 && errno == EINTR) continue;
      const std::lock_guard lock(mutex_);
      if (size <= 0) {
        ends[i].fd = -1;
      } else {
        streams[i]->text.append(buffer, static_cast<std::size_t>(size));
      }
      more_.notify_all();
    }
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  more_.notify_all();
}

std::string Process::wait_for_line(std::string_view text, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  std::unique_lock lock(mutex_);
  for (;;) {
    for (const Stream* stream : {&err_, &out_}) {
      if (auto line = line_with(stream->text, text, ended_)) return *line;
    }
    if (ended_) {
      throw std::runtime_error(program_ + " ended without printing \"" + std::string(text) + "\"" +
                               printed());
    }
    if (more_.wait_until(lock, deadline) == std::cv_status::timeout) {
      throw std::runtime_error(program_ + " has not printed \"" + std::string(text) + "\" in " +
                               std::to_string(limit.count()) + " ms" + printed());
    }
  }
}

// REQUIRES: mutex_ is held.
std::string Process::printed() const {
  if (out_.text.empty() && err_.text.empty()) return "; it has printed nothing";
  return "; it has printed:\n" + out_.text + err_.text;
}

std::string Process::output() const {
  const std::lock_guard lock(mutex_);
  return out_.text;
}

std::string Process::errors() const {
  const std::lock_guard lock(mutex_);
  return err_.text;
}

void Process::signal(int number) {
  if (!running()) throw std::runtime_error(program_ + " has ended already");
  if (::kill(pid_, number) != 0) fail("cannot signal " + program_);
}

void Process::freeze() {
  signal(SIGSTOP);
  int status = 0;
  if (::waitpid(pid_, &status, WUNTRACED) != pid_) fail("cannot wait for " + program_);
  if (!WIFSTOPPED(status)) {
    status_ = exit_status(status);
    throw std::runtime_error(program_ + " ended instead of standing still");
  }
}

void Process::thaw() {
  signal(SIGCONT);
}

void Process::kill() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  wait(kStopLimit);
}

int Process::terminate(std::chrono::milliseconds limit) {
  if (running()) ::kill(pid_, SIGTERM);
  if (const auto status = wait(limit)) return *status;
  kill();
  return status_.value_or(-1);
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  // Polled: waiting for a child with a time limit has no portable call, and a few ms of delay harm nobody.
  const auto deadline = Clock::now() + limit;
  while (running()) {
    if (Clock::now() >= deadline) return std::nullopt;
    ::poll(nullptr, 0, 2);
  }
  // Whatever the program printed last belongs to it: the reader sees the ends of both streams.
  std::unique_lock lock(mutex_);
  more_.wait_until(lock, Clock::now() + std::chrono::seconds(1), [this] { return ended_; });
  return status_;
}

bool Process::running() {
  if (status_) return false;
  int status = 0;
  const pid_t result = ::waitpid(pid_, &status, WNOHANG);
  if (result == pid_) status_ = exit_status(status);
  return !status_.has_value();
}

std::size_t Process::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6)) * 1024;
  }
  throw std::runtime_error("no memory figure for " + program_);
}

std::chrono::nanoseconds Process::cpu_time() const {
  std::uint64_t sum = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
    std::ifstream file(task.path() / "schedstat");
    std::uint64_t nanoseconds = 0;
    if (file >> nanoseconds) sum += nanoseconds;
  }
  return std::chrono::nanoseconds(sum);
}

}  // namespace tessera::test
