#include "loadtest/history/history.h"

#include <algorithm>
#include <utility>

namespace tessera::loadtest {
namespace {

std::vector<Digest> digests_of(const std::vector<std::string>& observed) {
  std::vector<Digest> result;
  for (const std::string& text : observed) result.push_back(digest(text));
  return result;
}

long milliseconds(Moment from, Moment to) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(to - from).count());
}

}  // namespace

History::History(std::vector<std::string> observed) {
  states_.push_back({Moment::min(), Moment::min(), digests_of(observed)});
  bodies_.push_back(std::move(observed));
}

void History::begin_write() {
  const std::lock_guard lock(mutex_);
  writing_since_ = std::chrono::steady_clock::now();
}

void History::end_write(Moment answered, std::vector<std::string> observed) {
  std::vector<Digest> digests = digests_of(observed);
  const std::lock_guard lock(mutex_);
  states_.push_back({*writing_since_, answered, std::move(digests)});
  bodies_.push_back(std::move(observed));
  if (bodies_.size() > kBodiesKept) bodies_.pop_front();
  writing_since_.reset();
  judge_waiting();
}

History::Verdict History::verdict(const Read& read) const {
  for (std::size_t i = states_.size(); i-- > 0;) {
    const State& state = states_[i];
    const bool had_ended = i + 1 < states_.size() && states_[i + 1].latest < read.sent;
    if (had_ended) break;
    if (state.earliest <= read.ended && state.digests[read.view] == read.digest) return Verdict::right;
  }
  return writing_since_ && *writing_since_ <= read.ended ? Verdict::undecided : Verdict::wrong;
}

void History::judge(Read read) {
  const std::lock_guard lock(mutex_);
  switch (verdict(read)) {
    case Verdict::right:
      ++result_.judged;
      break;
    case Verdict::wrong:
      ++result_.judged;
      report(read);
      break;
    case Verdict::undecided:
      waiting_.push_back(std::move(read));
      break;
  }
}

void History::judge_waiting() {
  for (const Read& read : std::exchange(waiting_, {})) {
    ++result_.judged;
    if (verdict(read) == Verdict::wrong) report(read);
  }
}

void History::finish() {
  const std::lock_guard lock(mutex_);
  judge_waiting();
}

void History::report(const Read& read) {
  ++result_.violations;
  std::string text = views()[read.view] + " from " + read.source;
  std::size_t current = 0;  // the last state that had certainly begun when the request was sent
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i].latest <= read.sent) current = i;
  }
  for (std::size_t i = states_.size(); i-- > 0;) {
    if (states_[i].digests[read.view] != read.digest) continue;
    const bool is_stale = i < current;
    result_.stale += is_stale ? 1 : 0;
    text += is_stale ? " shows a state that had ended " +
                           std::to_string(milliseconds(states_[i + 1].latest, read.sent)) +
                           " ms before the request"
                     : " shows a state that had not begun when the response ended";
    if (result_.sentences.size() < kSentences) result_.sentences.push_back(std::move(text));
    return;
  }
  text += " shows no state that the origin ever had; beside the nearest of those it might have shown: ";
  text += nearest_difference(read, current);
  if (result_.sentences.size() < kSentences) result_.sentences.push_back(std::move(text));
}

std::string History::nearest_difference(const Read& read, std::size_t current) const {
  const std::size_t oldest = states_.size() - bodies_.size();
  const std::string* nearest = nullptr;
  for (std::size_t i = std::max(current, oldest); i < states_.size() && states_[i].earliest <= read.ended;
       ++i) {
    const std::string& candidate = bodies_[i - oldest][read.view];
    if (nearest == nullptr ||
        common_length(candidate, read.observed) > common_length(*nearest, read.observed)) {
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "they are no longer held" : first_difference(*nearest, read.observed);
}

History::Result History::result() const {
  const std::lock_guard lock(mutex_);
  Result result = result_;
  result.states = states_.size();
  return result;
}

}  // namespace tessera::loadtest
