#include "proxy/log_sink.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

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
