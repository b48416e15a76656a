#include "proxy/access_record.h"

#include <string>

#include <gtest/gtest.h>

#include "json/escape.h"

namespace tessera::proxy {
namespace {

AccessRecord record() {
  AccessRecord record;
  record.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'600'000'000'042));
  record.client = "192.0.2.7";
  record.method = "GET";
  record.target = "/courses?page=2";
  record.status = 200;
  record.bytes = 1234;
  record.duration = std::chrono::microseconds(1'000'042);
  record.id = "abc";
  record.route = "courses";
  record.result = "hit";
  record.user_agent = "curl/8";
  return record;
}

std::string json(const AccessRecord& record) {
  std::string line;
  append_json(line, record);
  return line;
}

std::string combined(const AccessRecord& record) {
  std::string line;
  append_combined(line, record);
  return line;
}

TEST(AccessRecord, ReadsAsJson) {
  EXPECT_EQ(
      json(record()),
      R"({"time":"2020-09-13T12:26:40.042Z","client":"192.0.2.7","method":"GET","target":)"
      R"("/courses?page=2","protocol":"HTTP/1.1","tls":false,"status":200,"bytes":1234,"complete":true,)"
      R"("duration":1.000042,"id":"abc","route":"courses","result":"hit","user_agent":"curl/8",)"
      R"("referer":""})");
  auto passed = record();
  passed.origin = std::chrono::microseconds(7);
  passed.reason = "method";
  EXPECT_NE(json(passed).find(R"("origin":0.000007)"), std::string::npos);
  EXPECT_NE(json(passed).find(R"("reason":"method")"), std::string::npos);
}

TEST(AccessRecord, ReadsAsTheCombinedFormat) {
  EXPECT_EQ(combined(record()),
            "192.0.2.7 - - [13/Sep/2020:12:26:40 +0000] \"GET /courses?page=2 HTTP/1.1\" "
            "200 1234 \"-\" \"curl/8\"");
  auto empty = record();
  empty.bytes = 0;
  empty.version = 10;
  EXPECT_NE(combined(empty).find("HTTP/1.0\" 200 - "), std::string::npos);
}

TEST(AccessRecord, WritesNothingThatATerminalObeys) {
  auto hostile = record();
  hostile.user_agent = "\xC2\x9B\x33\x31m \xE2\x80\xAE caf\xC3\xA9 \xF0\x9F\x98\x80 \xFF\x7F";
  const auto line = json(hostile);
  EXPECT_NE(line.find(R"("user_agent":"\u009b31m \u202e caf\u00e9 \ud83d\ude00 \ufffd\u007f")"),
            std::string::npos)
      << line;
}

// Every byte that a client may get into a field, in each place that is a client's.
TEST(AccessRecord, LetsNoClientForgeALine) {
  std::string all = "\"} \\\" \r\n{\"status\":500,";
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  auto hostile = record();
  hostile.target = hostile.user_agent = hostile.referer = hostile.method = hostile.id = all;
  const auto line = json(hostile);
  EXPECT_TRUE(json::is_utf8(line));
  bool in_string = false;
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    EXPECT_GE(static_cast<unsigned char>(line[i]), 0x20);
    if (in_string && line[i] == '\\') ++i;
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\' || !in_string)) in_string = !in_string;
    if (!in_string && line[i] == '{') ++depth;
    if (!in_string && line[i] == '}') --depth;
    if (depth == 0) {
      EXPECT_EQ(i, line.size() - 1);
    }
  }
  const auto text = combined(hostile);
  std::size_t quotes = 0;
  for (const char c : text) {
    EXPECT_TRUE(c >= 0x20 && c < 0x7F);
    quotes += c == '"' ? 1u : 0u;
  }
  EXPECT_EQ(quotes, 6u);
  EXPECT_NE(text.find("\\x0d\\x0a"), std::string::npos);
}

}  // namespace
}  // namespace tessera::proxy
