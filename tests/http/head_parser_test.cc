#include "http/head_parser.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using Kind = Framing::Kind;

ParsedRequest accept(std::string_view bytes) {
  ParsedRequest parsed;
  const auto refusal = parse_request_head(bytes, parsed);
  EXPECT_FALSE(refusal) << bytes << (refusal ? refusal->detail : "");
  return parsed;
}

TEST(FindHeadEnd, FindsAnEndThatStraddlesTwoReads) {
  const std::string_view bytes = "GET / HTTP/1.1\r\n\r\nrest";
  EXPECT_EQ(find_head_end(bytes, 0), 18u);
  for (std::size_t scanned = 0; scanned < 18; ++scanned)
    EXPECT_EQ(find_head_end(bytes, scanned), 18u) << scanned;
  EXPECT_EQ(find_head_end(bytes.substr(0, 17), 0), kNoHeadEnd);
  EXPECT_EQ(find_head_end("", 0), kNoHeadEnd);
}

TEST(ParseRequestHead, KeepsFieldsAsTheyCame) {
  const auto parsed = accept("GET /a?b=%20c HTTP/1.1\r\nHost: x:80\r\nX-A:  1 \r\nx-a:\t2\r\nEmpty:\r\n\r\n");
  EXPECT_EQ(parsed.head.method, "GET");
  EXPECT_EQ(parsed.head.target, "/a?b=%20c");
  EXPECT_EQ(parsed.head.version, 11u);
  EXPECT_EQ(parsed.head.fields.joined("x-a"), "1, 2");
  EXPECT_EQ(parsed.head.fields.get("Empty"), "");
  EXPECT_TRUE(parsed.keep_alive);
  EXPECT_EQ(parsed.framing.kind, Kind::none);
}

TEST(ParseRequestHead, KeepAliveDependsOnVersionAndConnection) {
  EXPECT_FALSE(accept("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(accept("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
  EXPECT_FALSE(accept("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(accept("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").keep_alive);
}

TEST(ParseRequestHead, ReadsTheFraming) {
  const auto length = accept("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(length.framing.kind, Kind::length);
  EXPECT_EQ(length.framing.length, 12u);
  EXPECT_EQ(accept("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").framing.kind, Kind::none);
  EXPECT_EQ(accept("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n").framing.kind,
            Kind::chunked);
  const auto large = accept("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n");
  EXPECT_EQ(large.framing.length, 9'000'000'000u);
}

TEST(ParseRequestHead, RepeatedEqualLengthsAreOne) {
  const auto parsed = accept("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(parsed.framing.length, 5u);
}

TEST(ParseRequestHead, ReducesAbsoluteForm) {
  const auto parsed = accept("GET http://b.example:81/p?q HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(parsed.head.target, "/p?q");
  EXPECT_EQ(parsed.head.fields.joined("Host"), "b.example:81");
  EXPECT_EQ(accept("GET http://b HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "/");
  EXPECT_EQ(accept("GET HTTP://b?q/r HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "/?q/r");
  EXPECT_EQ(accept("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "*");
  EXPECT_EQ(accept("GET http://b/ HTTP/1.0\r\n\r\n").head.fields.get("Host"), "b");
}

TEST(ParseRequestHead, AsteriskIsForOptions) {
  EXPECT_EQ(accept("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").head.target, "*");
}

TEST(ParseRequestHead, ExpectationOfAnOldClientIsIgnored) {
  EXPECT_FALSE(
      accept("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n").expects_continue);
  EXPECT_TRUE(accept("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n")
                  .expects_continue);
  EXPECT_FALSE(accept("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n").expects_continue);
}

TEST(ParseRequestHead, HostsOfEveryKindAreAccepted) {
  for (const auto* host : {"a", "a.b-c:8080", "127.0.0.1", "[::1]", "[::1]:80", "a_b", "a:"}) {
    accept(std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\n\r\n");
  }
}

TEST(ParseResponseHead, ReadsTheFraming) {
  const auto parse = [](std::string_view bytes, bool to_head = false) {
    ParsedResponse parsed;
    EXPECT_TRUE(parse_response_head(bytes, to_head, parsed)) << bytes;
    return parsed;
  };
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").framing.length, 5u);
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").framing.kind, Kind::chunked);
  const auto open = parse("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(open.framing.kind, Kind::until_close);
  EXPECT_FALSE(open.keep_alive);
  EXPECT_EQ(parse("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").framing.kind, Kind::none);
  const auto head = parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true);
  EXPECT_EQ(head.framing.kind, Kind::none);
  EXPECT_EQ(head.declared_length, 5u);
  EXPECT_TRUE(head.keep_alive);
  for (const auto* status : {"103 Early Hints", "204 No Content", "304 Not Modified"}) {
    EXPECT_EQ(parse(std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 5\r\n\r\n").framing.kind,
              Kind::none);
  }
  EXPECT_FALSE(parse("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n").keep_alive);
  EXPECT_TRUE(parse("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n").keep_alive);
}

TEST(ParseResponseHead, TakesAnEmptyReasonAndAnUnknownStatus) {
  ParsedResponse parsed;
  ASSERT_TRUE(parse_response_head("HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n", false, parsed));
  EXPECT_EQ(parsed.head.status, 299);
}

TEST(ParseResponseHead, RefusesWhatAnotherReaderMightReadDifferently) {
  for (const std::string_view bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 600 No\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "\r\n\r\n",
        "{\"a\":1}\r\n\r\n"}) {
    ParsedResponse parsed;
    EXPECT_FALSE(parse_response_head(bytes, false, parsed)) << bytes;
  }
}

}  // namespace
}  // namespace tessera::http
