// Clients that ask on and on while a process changes or goes.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/becomes.h"
#include "tests/support/http_request.h"

namespace tessera::test {

// Clients that ask one target over and over, on connections that they keep as long as the server does and,
// each second client, on a new connection each time.
class Clients {
 public:
  Clients(std::string url, int count) : url_(std::move(url)) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, keeps = i % 2 == 0] { run(keeps); });
  }
  ~Clients() { stop(); }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  std::size_t answered() const { return answered_; }
  bool answer(std::size_t more) const {
    const std::size_t goal = answered_ + more;
    return becomes([&] { return answered_ >= goal || failed_ != 0; });
  }
  // The requests that were not answered with 200, and why the first was not.
  std::size_t stop() {
    stopping_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    return failed_;
  }
  std::string first_failure() const { return failure_; }

 private:
  void run(bool keeps) {
    const Url parsed = parse_url(url_);
    while (!stopping_) {
      try {
        Connection connection(url_);
        bool more = true;
        while (more && !stopping_) {
          const Reply reply = connection.get(parsed.target);
          note(reply);
          more = keeps && reply.ok() && reply.field("Connection") != "close";
        }
      } catch (const std::exception& error) {
        Reply none;
        none.error = error.what();
        note(none);
      }
    }
  }

  void note(const Reply& reply) {
    if (reply.ok()) {
      ++answered_;
    } else if (failed_++ == 0) {
      failure_ = std::to_string(reply.status) + " " + reply.error + " " + reply.body;
    }
  }

  const std::string url_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> answered_{0};
  std::atomic<std::size_t> failed_{0};
  std::string failure_;  // written by whoever failed first, read after stop()
  std::vector<std::thread> threads_;
};

}  // namespace tessera::test
