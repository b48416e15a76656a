// Asks the proxies for views and has every answer judged.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "loadtest/history/history.h"

namespace tessera::loadtest {

struct ReaderCounts {
  std::size_t reads = 0;
  std::size_t not_modified = 0;
  std::size_t failed = 0;                       // no answer, or another status than 200 and 304
  std::map<std::string, std::size_t> outcomes;  // by what Cache-Status says happened
  std::vector<std::string> sentences;           // the first few failures

  void add(const ReaderCounts& other);
};

class Reader {
 public:
  // `proxies` are base URLs; `left` counts down over all readers.
  Reader(std::vector<std::string> proxies, std::uint64_t seed, std::atomic<long>& left)
      : proxies_(std::move(proxies)), seed_(seed), left_(left) {}

  ReaderCounts run(History& history);  // the body of one thread

 private:
  std::vector<std::string> proxies_;
  std::uint64_t seed_;
  std::atomic<long>& left_;
};

}  // namespace tessera::loadtest
