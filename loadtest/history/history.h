// The origin's states in their order, and the judgement whether an answer is one of those that were current
// at some instant between its request and its end.
//
// A write is sent at one moment and answered at another; its commit lies between. So state i begins at the
// earliest when its write was sent, and ends at the latest when the next write had been answered. An answer
// is right when its digest is that of a state whose time, taken that widely, meets the time of the read.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "loadtest/history/views.h"

namespace tessera::loadtest {

using Moment = std::chrono::steady_clock::time_point;

struct Read {
  std::size_t view = 0;
  Moment sent;
  Moment ended;
  Digest digest;
  std::string observed;  // kept only while the answer is not judged
  std::string source;    // which proxy, and its Cache-Status: for the report
};

// Thread-safe.
class History {
 public:
  // The state at the start: what the origin answers for each view before any write.
  explicit History(std::vector<std::string> observed);

  // Around every write. Between the two calls only the caller may change the origin; `observed` are the
  // origin's own answers after the write.
  void begin_write();
  void end_write(Moment answered, std::vector<std::string> observed);

  void judge(Read read);
  void finish();  // judges what is left; call it when nobody writes any more

  struct Result {
    std::size_t judged = 0;
    std::size_t states = 0;
    std::size_t violations = 0;
    std::size_t stale = 0;               // violations that show a state which had ended before the request
    std::vector<std::string> sentences;  // the first few violations in full
  };
  Result result() const;

 private:
  struct State {
    Moment earliest;  // it was not current before
    Moment latest;    // its write had been answered
    std::vector<Digest> digests;
  };
  enum class Verdict { right, wrong, undecided };

  Verdict verdict(const Read& read) const;
  void report(const Read& read);
  std::string nearest_difference(const Read& read, std::size_t current) const;
  void judge_waiting();

  static constexpr std::size_t kBodiesKept = 16;
  static constexpr std::size_t kSentences = 5;

  mutable std::mutex mutex_;
  std::vector<State> states_;
  std::deque<std::vector<std::string>> bodies_;  // of the last states
  std::optional<Moment> writing_since_;
  std::vector<Read> waiting_;
  Result result_;
};

}  // namespace tessera::loadtest
