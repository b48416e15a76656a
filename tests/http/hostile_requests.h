// Requests that must be refused, each with the status of the answer. Whatever follows them on the connection
// must never be taken for another request.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::http::testing {

struct HostileRequest {
  std::string_view name;
  int status;
  std::string bytes;
};

inline std::ostream& operator<<(std::ostream& out, const HostileRequest& request) {
  return out << request.name;
}

inline std::vector<HostileRequest> hostile_requests() {
  using namespace std::string_literals;
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const std::string get = "GET / HTTP/1.1\r\n";
  return {
      {"LengthThenChunked", 400, post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"ChunkedThenLength", 400, post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"},
      {"GzipThenLength", 400, post + "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"},
      {"LengthThenGzip", 400, post + "Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\nhello"},
      {"UnknownCoding", 400, post + "Transfer-Encoding: xchunked\r\n\r\n"},
      {"ChunkedAmongOthers", 400, post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
      {"ChunkedTwice", 400, post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"},
      {"ChunkedOnTwoLines", 400,
       post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"IdentityThenChunked", 400,
       post + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"QuotedChunked", 400, post + "Transfer-Encoding: \"chunked\"\r\n\r\n"},
      {"EmptyCoding", 400, post + "Transfer-Encoding:\r\n\r\n"},
      {"ChunkedWithParameter", 400, post + "Transfer-Encoding: chunked;q=1\r\n\r\n"},
      {"CodingOnHttp10", 400, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"DifferentLengths", 400, post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"},
      {"ListOfLengths", 400, post + "Content-Length: 5, 5\r\n\r\nhello"},
      {"SignedLength", 400, post + "Content-Length: +5\r\n\r\nhello"},
      {"NegativeLength", 400, post + "Content-Length: -5\r\n\r\nhello"},
      {"HexLength", 400, post + "Content-Length: 0x5\r\n\r\nhello"},
      {"EmptyLength", 400, post + "Content-Length:\r\n\r\n"},
      {"EndlessLength", 400, post + "Content-Length: 99999999999999999999\r\n\r\n"},
      {"LengthWithBlank", 400, post + "Content-Length: 5 5\r\n\r\nhello"},
      {"NoHost", 400, get + "\r\n"},
      {"TwoHosts", 400, get + "Host: a\r\nHost: a\r\n\r\n"},
      {"TwoHostsOnHttp10", 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"},
      {"EmptyHost", 400, get + "Host:\r\n\r\n"},
      {"HostWithPath", 400, get + "Host: a/b\r\n\r\n"},
      {"HostWithUser", 400, get + "Host: user@a\r\n\r\n"},
      {"HostWithBlank", 400, get + "Host: a b\r\n\r\n"},
      {"HostList", 400, get + "Host: a,b\r\n\r\n" + "x"},
      {"HostWithBadPort", 400, get + "Host: a:b\r\n\r\n"},
      {"HostWithHugePort", 400, get + "Host: a:65536\r\n\r\n"},
      {"HostWithHugerPort", 400, get + "Host: a:99999\r\n\r\n"},
      {"FoldedField", 400, get + "Host: a\r\nX: b\r\n c\r\n\r\n"},
      {"FoldedFirstField", 400, get + " Host: a\r\n\r\n"},
      {"FoldedByTab", 400, get + "Host: a\r\nX: b\r\n\tc\r\n\r\n"},
      {"BareLineFeed", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"},
      {"BareLineFeedInField", 400, get + "Host: a\r\nX: b\nY: c\r\n\r\n"},
      {"BareCarriageReturn", 400, get + "Host: a\r\nX: b\rY: c\r\n\r\n"},
      {"NulInValue", 400, get + "Host: a\r\nX: b\0c\r\n\r\n"s},
      {"ControlInValue", 400, get + "Host: a\r\nX: \x01\r\n\r\n"},
      {"DeleteInValue", 400, get + "Host: a\r\nX: \x7f\r\n\r\n"},
      {"BlankBeforeColon", 400, get + "Host : a\r\n\r\n"},
      {"NoColon", 400, get + "Host: a\r\nX\r\n\r\n"},
      {"EmptyName", 400, get + "Host: a\r\n: b\r\n\r\n"},
      {"BlankInName", 400, get + "Host: a\r\nX Y: b\r\n\r\n"},
      {"Http09", 400, "GET /\r\n\r\n"},
      {"Http12", 505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
      {"Http20", 505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
      {"Http2Preface", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"LowerCaseProtocol", 400, "GET / http/1.1\r\nHost: a\r\n\r\n"},
      {"LongVersion", 400, "GET / HTTP/1.10\r\nHost: a\r\n\r\n"},
      {"TwoBlanks", 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"BlankBehindVersion", 400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
      {"TabInRequestLine", 400, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"BadMethod", 400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"NoTarget", 400, "GET HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"Fragment", 400, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"BlankInTarget", 400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"TabInTarget", 400, "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"DeleteInTarget", 400, "GET /a\x7f HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"RelativeTarget", 400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"AuthorityTarget", 400, "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"AsteriskGet", 400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"OtherScheme", 400, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"UserInTarget", 400, "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"NoHostInTarget", 400, "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"Connect", 501, "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"},
      {"OtherExpectation", 417, post + "Expect: 200-ok\r\nContent-Length: 1\r\n\r\nx"},
      {"BadConnection", 400, get + "Host: a\r\nConnection: @\r\n\r\n"},
      {"OnlyEmptyLines", 400, "\r\n\r\n\r\n\r\n\r\n\r\n\r\n"},
      {"TlsHello", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"s},
  };
}

}  // namespace tessera::http::testing
