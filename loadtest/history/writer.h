// Changes courses and slides at the origin, and tells the history what the origin answers after each change.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "loadtest/history/history.h"
#include "loadtest/history/options.h"
#include "tests/support/http_request.h"

namespace tessera::loadtest {

// One object for all writing threads: they take turns, so that every state is known.
class Writer {
 public:
  Writer(const std::string& origin_url, const ConsistencyOptions& options);

  // The origin's own answers to all views, read from one state. Throws std::runtime_error when they are not.
  std::vector<std::string> observe();
  // Writes until `stop`; the body of one thread. Throws as above, or when the origin refuses a change.
  void run(History& history, std::uint64_t seed, const std::atomic<bool>& stop);

  std::map<std::string, std::size_t> counts() const;  // changes made, by kind

 private:
  using Random = std::mt19937_64;

  void change(Random& random);
  void change_course(Random& random);
  void change_slide(Random& random);
  void change_several(Random& random);
  void add_course(Random& random);
  void remove_course(Random& random);
  void add_slide(Random& random);
  void remove_slide(Random& random);
  test::Reply send(const char* kind, std::string method, std::string target, std::string body);

  ConsistencyOptions options_;
  mutable std::mutex mutex_;  // held for a whole write and what is observed after it
  test::Connection connection_;
  std::vector<std::string> courses_;  // ids that may be changed
  std::vector<std::string> slides_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace tessera::loadtest
