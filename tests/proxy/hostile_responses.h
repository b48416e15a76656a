// Responses of a broken or hostile origin, and what a client must see of each. Whatever they hold, the next
// response must not be shifted by it.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

struct HostileResponse {
  enum class Seen {
    bad_gateway,  // 502, of our own
    cut,          // the head, and a message that ends before its end
    whole,        // a clean response with this body
  };
  std::string_view name;
  Seen seen;
  std::string bytes;
  std::string body = {};  // with Seen::whole
  bool closes = false;    // the origin closes behind the bytes
};

inline std::ostream& operator<<(std::ostream& out, const HostileResponse& response) {
  return out << response.name;
}

inline std::vector<HostileResponse> hostile_responses() {
  using namespace std::string_literals;
  using enum HostileResponse::Seen;
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string length = "Content-Length: 5\r\n";
  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string second = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nsmuggled";
  return {
      // Framing.
      {"LengthAndChunked", bad_gateway,
       ok + length + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
      {"ChunkedAndLength", bad_gateway,
       ok + "Transfer-Encoding: chunked\r\n" + length + "\r\n5\r\nhello\r\n0\r\n\r\n"},
      {"GzipCoding", bad_gateway, ok + "Transfer-Encoding: gzip\r\n\r\nhello"},
      {"GzipThenChunked", bad_gateway, ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
      {"ChunkedTwice", bad_gateway,
       ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"UnknownCoding", bad_gateway, ok + "Transfer-Encoding: xchunked\r\n\r\nhello"},
      {"IdentityCoding", bad_gateway, ok + "Transfer-Encoding: identity\r\n\r\nhello"},
      {"EmptyCoding", bad_gateway, ok + "Transfer-Encoding:\r\n\r\nhello"},
      {"CodingOnHttp10", bad_gateway,
       "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
      {"DifferentLengths", bad_gateway, ok + length + "Content-Length: 6\r\n\r\nhello!"},
      {"ListOfLengths", bad_gateway, ok + "Content-Length: 5, 6\r\n\r\nhello"},
      {"NegativeLength", bad_gateway, ok + "Content-Length: -5\r\n\r\nhello"},
      {"SignedLength", bad_gateway, ok + "Content-Length: +5\r\n\r\nhello"},
      {"HexLength", bad_gateway, ok + "Content-Length: 0x5\r\n\r\nhello"},
      {"EmptyLength", bad_gateway, ok + "Content-Length:\r\n\r\nhello"},
      {"HugeLength", bad_gateway, ok + "Content-Length: 99999999999999999999\r\n\r\nhello"},
      {"LengthOfWords", bad_gateway, ok + "Content-Length: five\r\n\r\nhello"},
      {"ChunkedWithParameter", bad_gateway, ok + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n"},
      {"CodingWithVerticalTab", bad_gateway, ok + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n"},
      {"CodingWithBlankBeforeColon", bad_gateway, ok + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"},
      {"FoldedCoding", bad_gateway, ok + "X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      // Status lines.
      {"NoStatusLine", bad_gateway, "hello\r\n\r\n"},
      {"Http09", bad_gateway, "<html>hello</html>", "", true},
      {"OtherProtocol", bad_gateway, "ICY 200 OK\r\n" + length + "\r\nhello"},
      {"Http20", bad_gateway, "HTTP/2.0 200 OK\r\n" + length + "\r\nhello"},
      {"LowerCaseProtocol", bad_gateway, "http/1.1 200 OK\r\n" + length + "\r\nhello"},
      {"StatusOfTwoDigits", bad_gateway, "HTTP/1.1 20 OK\r\n" + length + "\r\nhello"},
      {"StatusOfFourDigits", bad_gateway, "HTTP/1.1 2000 OK\r\n" + length + "\r\nhello"},
      {"StatusOfLetters", bad_gateway, "HTTP/1.1 abc OK\r\n" + length + "\r\nhello"},
      {"StatusZero", bad_gateway, "HTTP/1.1 000 OK\r\n" + length + "\r\nhello"},
      {"NegativeStatus", bad_gateway, "HTTP/1.1 -20 OK\r\n" + length + "\r\nhello"},
      {"StatusOf99", bad_gateway, "HTTP/1.1 099 OK\r\n" + length + "\r\nhello"},
      {"TwoBlanks", bad_gateway, "HTTP/1.1  200 OK\r\n" + length + "\r\nhello"},
      {"LeadingBlank", bad_gateway, " HTTP/1.1 200 OK\r\n" + length + "\r\nhello"},
      {"UnaskedUpgrade", bad_gateway,
       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello"},
      {"NulInReason", bad_gateway, "HTTP/1.1 200 O\0K\r\nContent-Length: 5\r\n\r\nhello"s},
      {"EndlessInterim", bad_gateway,
       [] {
         std::string all;
         for (int i = 0; i < 100; ++i) all += "HTTP/1.1 100 Continue\r\n\r\n";
         return all;
       }()},
      // Fields.
      {"BareLineFeeds", bad_gateway, "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello\r\n\r\n"},
      {"BareLineFeedInField", bad_gateway, ok + "X: a\nSet-Cookie: b=c\r\n" + length + "\r\nhello"},
      {"BareCarriageReturn", bad_gateway, ok + "X: a\rSet-Cookie: b=c\r\n" + length + "\r\nhello"},
      {"FoldedField", bad_gateway, ok + "X: a\r\n b\r\n" + length + "\r\nhello"},
      {"NulInValue", bad_gateway, ok + "X: a\0b\r\n"s + length + "\r\nhello"},
      {"ControlInValue", bad_gateway, ok + "X: \x1b[31m\r\n" + length + "\r\nhello"},
      {"BlankBeforeColon", bad_gateway, ok + "X : a\r\n" + length + "\r\nhello"},
      {"NoColon", bad_gateway, ok + "X\r\n" + length + "\r\nhello"},
      {"EmptyName", bad_gateway, ok + ": a\r\n" + length + "\r\nhello"},
      {"BadName", bad_gateway, ok + "X(y): a\r\n" + length + "\r\nhello"},
      {"HugeHead", bad_gateway, ok + "X: " + std::string(200'000, 'x') + "\r\n" + length + "\r\nhello"},
      {"EndlessFields", bad_gateway,
       [ok] {
         std::string all = ok;
         for (int i = 0; i < 20'000; ++i) all += "X: y\r\n";
         return all;
       }()},
      {"CutHead", bad_gateway, ok + "X: a", "", true},
      {"Silence", bad_gateway, "", "", true},
      {"TlsAlert", bad_gateway, "\x15\x03\x01\x00\x02\x02\x46"s, "", true},
      // Bodies.
      {"ShortBody", cut, ok + "Content-Length: 100\r\n\r\nhello", "", true},
      {"CutChunk", cut, chunked + "5\r\nhel", "", true},
      {"NoLastChunk", cut, chunked + "5\r\nhello\r\n", "", true},
      {"CutLastChunk", cut, chunked + "5\r\nhello\r\n0\r\n", "", true},
      {"BadChunkSize", cut, chunked + "5\r\nhello\r\nxyz\r\n", "", true},
      {"NegativeChunkSize", cut, chunked + "5\r\nhello\r\n-1\r\n\r\n", "", true},
      {"HugeChunkSize", cut, chunked + "5\r\nhello\r\nFFFFFFFFFFFFFFFFF\r\n", "", true},
      {"ChunkWithoutEnd", cut, chunked + "5\r\nhelloworld\r\n0\r\n\r\n", "", true},
      {"ChunkSizeWithLineFeed", cut, chunked + "5\r\nhello\r\n5\nworld\r\n0\r\n\r\n", "", true},
      {"LongChunkExtension", cut,
       chunked + "5\r\nhello\r\n5;a=" + std::string(500, 'b') + "\r\nworld\r\n0\r\n\r\n"},
      {"LineFeedInChunkExtension", cut, chunked + "5\r\nhello\r\n5;a=\"\n\"\r\nworld\r\n0\r\n\r\n"},
      {"BadTrailer", cut, chunked + "5\r\nhello\r\n0\r\nA b\r\n\r\n"},
      {"FramingInTrailers", whole, chunked + "5\r\nhello\r\n0\r\nContent-Length: 99\r\n\r\n", "hello"},
      {"EndlessTrailer", cut, chunked + "5\r\nhello\r\n0\r\nA: " + std::string(200'000, 'b')},
      // Odd, but to be understood in one way only; nothing behind the message counts.
      {"BytesBehindTheBody", whole, ok + length + "\r\nhello" + second, "hello"},
      {"BytesBehindTheLastChunk", whole, chunked + "5\r\nhello\r\n0\r\n\r\n" + second, "hello"},
      {"BodyOfA204", whole, "HTTP/1.1 204 No Content\r\n" + length + "\r\nhello", ""},
      {"BodyOfA304", whole, "HTTP/1.1 304 Not Modified\r\n" + length + "\r\nhello", ""},
      {"SameLengthTwice", whole, ok + length + length + "\r\nhello", "hello"},
      {"UntilClose", whole, ok + "\r\nhello", "hello", true},
      {"Http10UntilClose", whole, "HTTP/1.0 200 OK\r\n\r\nhello", "hello", true},
      {"InterimBefore", whole,
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + length +
           "\r\nhello",
       "hello"},
      {"ConnectionNamesFraming", whole,
       ok + "Connection: content-length, x-y\r\nX-Y: secret\r\n" + length + "\r\nhello", "hello"},
      {"Trailers", whole, chunked + "5\r\nhello\r\n0\r\nX: y\r\n\r\n", "hello"},
      {"UnknownStatus", whole, "HTTP/1.1 299 Odd\r\n" + length + "\r\nhello", "hello"},
      {"MixedCaseCoding", whole, ok + "transfer-ENCODING: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"},
      {"LeadingZerosInChunkSize", whole, chunked + "0005\r\nhello\r\n0000\r\n\r\n", "hello"},
      {"ChunkExtension", whole, chunked + "5;a=\"b\"\r\nhello\r\n0\r\n\r\n", "hello"},
      {"HighBytesInValue", whole, ok + "X: caf\xc3\xa9\r\n" + length + "\r\nhello", "hello"},
  };
}

}  // namespace tessera::test
