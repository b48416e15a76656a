// The judge of the history check must itself be right: it is shown answers of every kind.
#include "loadtest/history/history.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::loadtest {
namespace {

// The views' texts of a state with that name.
std::vector<std::string> state(const std::string& name) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < views().size(); ++i) texts.push_back(name + " " + std::to_string(i));
  return texts;
}

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() : history_(state("first")) {}

  void write(const std::string& name) {
    history_.begin_write();
    history_.end_write(std::chrono::steady_clock::now(), state(name));
  }
  void read(const std::string& text, Moment sent, Moment ended) {
    history_.judge({0, sent, ended, digest(text), text, "a test"});
  }
  static Moment now() { return std::chrono::steady_clock::now(); }

  History history_;
};

TEST_F(HistoryTest, AcceptsTheStateThatIsCurrent) {
  read("first 0", now(), now());
  write("second");
  read("second 0", now(), now());
  EXPECT_EQ(history_.result().judged, 2u);
  EXPECT_EQ(history_.result().violations, 0u);
  EXPECT_EQ(history_.result().states, 2u);
}

TEST_F(HistoryTest, AcceptsEveryStateThatWasCurrentDuringTheRead) {
  const Moment sent = now();
  write("second");
  write("third");
  for (const char* name : {"first 0", "second 0", "third 0"}) read(name, sent, now());
  EXPECT_EQ(history_.result().violations, 0u);
}

TEST_F(HistoryTest, FindsAStateThatHadEndedBeforeTheRequest) {
  write("second");
  read("first 0", now(), now());
  EXPECT_EQ(history_.result().violations, 1u);
  EXPECT_EQ(history_.result().stale, 1u);
  ASSERT_EQ(history_.result().sentences.size(), 1u);
  EXPECT_NE(history_.result().sentences[0].find("had ended"), std::string::npos);
}

TEST_F(HistoryTest, FindsAMixtureAndSaysWhereItDiffers) {
  read("firsX 0", now(), now());
  EXPECT_EQ(history_.result().violations, 1u);
  EXPECT_EQ(history_.result().stale, 0u);
  ASSERT_EQ(history_.result().sentences.size(), 1u);
  EXPECT_NE(history_.result().sentences[0].find("byte 4"), std::string::npos)
      << history_.result().sentences[0];
}

TEST_F(HistoryTest, FindsTheAnswerOfAnotherView) {
  read("first 1", now(), now());
  EXPECT_EQ(history_.result().violations, 1u);
}

TEST_F(HistoryTest, WaitsForTheWriteThatIsUnderWay) {
  history_.begin_write();
  const Moment sent = now();
  read("second 0", sent, now());
  read("neither", sent, now());
  EXPECT_EQ(history_.result().judged, 0u);
  history_.end_write(now(), state("second"));
  EXPECT_EQ(history_.result().judged, 2u);
  EXPECT_EQ(history_.result().violations, 1u);
}

TEST_F(HistoryTest, FindsAStateThatHadNotBegun) {
  const Moment sent = now();
  const Moment ended = now();
  write("second");
  read("second 0", sent, ended);
  EXPECT_EQ(history_.result().violations, 1u);
}

TEST_F(HistoryTest, JudgesWhatIsLeftAtTheEnd) {
  history_.begin_write();
  read("nonsense", now(), now());
  history_.end_write(now(), state("second"));
  history_.finish();
  EXPECT_EQ(history_.result().judged, 1u);
  EXPECT_EQ(history_.result().violations, 1u);
}

}  // namespace
}  // namespace tessera::loadtest
