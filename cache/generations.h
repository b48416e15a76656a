// Purge wins: a fetch takes the generations along at its start, and what comes back after a purge is not
// stored.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace tessera::cache {

// Thread-safe. Record purges are remembered individually up to a bound; past it the whole route is raised.
class Generations {
 public:
  explicit Generations(std::size_t routes);
  ~Generations();

  void purge_everything();
  void purge_route(std::uint32_t route);
  void purge_record(std::uint32_t route, std::string_view id);  // the id's text, string or number alike

  // L2 could not be purged: what was rendered before `time` is not taken from it any more (route unset: any
  // route's).
  void distrust_before(std::optional<std::uint32_t> route, std::chrono::system_clock::time_point time);
  std::chrono::system_clock::time_point distrusted_before(std::uint32_t route) const;

  // What a fetch takes along.
  struct Token {
    std::uint32_t route = 0;
    std::uint64_t route_generation = 0;
    std::uint64_t record_generation = 0;
  };
  Token take(std::uint32_t route) const;
  bool route_is_current(const Token& token) const;  // nothing wider than a record was purged since
  bool is_current(const Token& token, std::string_view id) const;  // nor was this record
  bool nothing_purged_since(const Token& token) const;             // nor was any record of the route

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::cache
