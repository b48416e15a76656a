#include "proxy/log_sink.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/support/temporary.h"

namespace tessera::proxy {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Asks again until it is so, for at most 20 s.
template <class Condition>
bool becomes(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(LogSink, WritesWhatWaitsBeforeItEnds) {
  const test::TemporaryDirectory directory;
  const auto counts = std::make_shared<LogCounts>();
  std::string expected;
  {
    LogSink sink(directory.file("log"), counts);
    for (int i = 0; i < 1'000; ++i) {
      sink.add("line " + std::to_string(i));
      expected += "line " + std::to_string(i) + "\n";
    }
  }
  EXPECT_EQ(content(directory.file("log")), expected);
  EXPECT_EQ(counts->written, 1'000u);
  EXPECT_EQ(counts->dropped, 0u);
}

TEST(LogSink, OpensItsFileAnewForWhoeverRotatesIt) {
  const test::TemporaryDirectory directory;
  const auto counts = std::make_shared<LogCounts>();
  LogSink sink(directory.file("log"), counts);
  sink.add("one");
  ASSERT_TRUE(becomes([&] { return counts->written == 1u; }));
  std::filesystem::rename(directory.file("log"), directory.file("log.1"));
  sink.reopen();
  ASSERT_TRUE(becomes([&] { return std::filesystem::exists(directory.file("log")); }));
  sink.add("two");
  ASSERT_TRUE(becomes([&] { return counts->written == 2u; }));
  EXPECT_EQ(content(directory.file("log.1")), "one\n");
  EXPECT_EQ(content(directory.file("log")), "two\n");
}

TEST(LogSink, DropsAndCountsWhatAPipeThatNobodyReadsCannotTake) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  const int reader = ::open(directory.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  const auto counts = std::make_shared<LogCounts>();
  constexpr std::size_t kLines = 200;
  {
    LogSink sink(directory.file("pipe"), counts);
    const std::string line(LogSink::kRoom / 20, 'x');
    for (std::size_t i = 0; i < kLines; ++i) sink.add(line);  // never waits
  }
  EXPECT_GT(counts->dropped, kLines / 2);
  EXPECT_EQ(counts->dropped + counts->written, kLines);
  ::close(reader);
}

// Read when it has come, for at most 20 s.
std::string read_line(int pipe) {
  std::string line;
  const bool whole = becomes([&] {
    char byte = 0;
    while (::read(pipe, &byte, 1) == 1) {
      line += byte;
      if (byte == '\n') return true;
    }
    return false;
  });
  return whole ? line : "nothing";
}

TEST(LogSink, WaitsForNobodyToReadAPipe) {
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  const auto counts = std::make_shared<LogCounts>();
  LogSink sink(directory.file("pipe"), counts);
  sink.reopen();
  sink.add("lost");
  ASSERT_TRUE(becomes([&] { return counts->dropped == 1u; }));
  const int reader = ::open(directory.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  sink.add("read");
  EXPECT_EQ(read_line(reader), "read\n");
  ::close(reader);
  // Its reader has gone, and comes back.
  sink.add("lost");
  ASSERT_TRUE(becomes([&] { return counts->dropped == 2u; }));
  const int next = ::open(directory.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  sink.add("again");
  EXPECT_EQ(read_line(next), "again\n");
  ::close(next);
}

// A disk that is full in the middle of a batch, by the limit of a file's size.
TEST(LogSink, NeverJoinsALineToWhatIsLeftOfAnother) {
  const test::TemporaryDirectory directory;
  const auto counts = std::make_shared<LogCounts>();
  rlimit whole{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &whole), 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  LogSink sink(directory.file("log"), counts);
  const rlimit little{14, whole.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  sink.add("first");
  ASSERT_TRUE(becomes([&] { return counts->written == 1u; }));
  sink.add("second of two");
  const bool dropped = becomes([&] { return counts->dropped == 1u; });
  ::setrlimit(RLIMIT_FSIZE, &whole);
  ASSERT_TRUE(dropped);
  sink.add("third");
  ASSERT_TRUE(becomes([&] { return counts->written == 2u; }));
  EXPECT_EQ(content(directory.file("log")), "first\nsecond o\nthird\n");
  EXPECT_EQ(counts->dropped, 1u);
  std::signal(SIGXFSZ, before);
}

// What is logged while it lives.
class LogText {
 public:
  LogText() {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~LogText() { spdlog::set_default_logger(before_); }
  std::size_t count(std::string_view part) const {
    const std::string all = text_.str();
    std::size_t found = 0;
    for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
    return found;
  }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

TEST(LogSink, SaysOnceThatItsFileCannotBeWritten) {
  LogText log;
  const auto counts = std::make_shared<LogCounts>();
  {
    LogSink sink("/dev/full", counts);
    for (std::uint64_t i = 1; i <= 3; ++i) {
      sink.add("lost");
      ASSERT_TRUE(becomes([&] { return counts->dropped == i; }));
    }
  }
  EXPECT_EQ(log.count("\"/dev/full\" cannot be written, lines are dropped: No space left on device"), 1u);
}

TEST(LogSink, SaysOnceOfEachOutageOfAPipeThatNobodyReadsItAndThatItIsOver) {
  LogText log;
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  const auto counts = std::make_shared<LogCounts>();
  {
    LogSink sink(directory.file("pipe"), counts);
    for (std::uint64_t outage = 1; outage <= 2; ++outage) {
      sink.add("lost");
      ASSERT_TRUE(becomes([&] { return counts->dropped == outage; }));
      const int reader = ::open(directory.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
      sink.add("read");
      EXPECT_EQ(read_line(reader), "read\n");
      ::close(reader);
    }
  }
  EXPECT_EQ(log.count("cannot be written, lines are dropped: nobody reads it"), 2u);
  EXPECT_EQ(log.count("is written again"), 2u);
}

TEST(LogSink, SaysThatLinesComeFasterThanTheyGo) {
  LogText log;
  const test::TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  const int reader = ::open(directory.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  {
    LogSink sink(directory.file("pipe"), std::make_shared<LogCounts>());
    const std::string line(LogSink::kRoom / 20, 'x');
    for (int i = 0; i < 200; ++i) sink.add(line);
  }
  ::close(reader);
  EXPECT_EQ(log.count("takes lines too slowly: some are dropped"), 1u);
}

TEST(LogSink, SaysWhichFileItCannotOpen) {
  try {
    LogSink sink("/nowhere/at/all", std::make_shared<LogCounts>());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("access_log.file = \"/nowhere/at/all\""), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::proxy
