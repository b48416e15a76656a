// Beast's basic_parser calls back for the start line and each field; nothing is stored twice. Its own checks
// come after is_clean_head, so it never sees a folded line or a bare line end.
#include "http/head_parser.h"

#include <limits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "http/head_check.h"

namespace tessera::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// "HTTP/1.1 200": without the blank in front of a reason phrase, which Beast wants and many leave out.
constexpr std::size_t kBareStatusLine = 12;

std::string_view std_view(string_view text) {
  return {text.data(), text.size()};
}

// The callbacks that a head without its body can reach, or must exist all the same.
template <bool is_request>
class HeadParser : public beast_http::basic_parser<is_request> {
 public:
  explicit HeadParser(Fields& fields) : fields_(fields) {
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // the caller limits heads
    this->body_limit(boost::none);
  }

  // False: Beast refuses the head, or it does not end where `bytes` do.
  bool parse(std::string_view bytes) {
    error_code error;
    const auto used = this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    return !error && used == bytes.size() && this->is_header_done() && !refused_;
  }

 private:
  void on_field_impl(beast_http::field, string_view name, string_view value, error_code&) override {
    if (!fields_.add(std_view(name), std_view(value))) refused_ = true;
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

  Fields& fields_;
  bool refused_ = false;
};

class RequestParser final : public HeadParser<true> {
 public:
  explicit RequestParser(RequestHead& head) : HeadParser(head.fields), head_(head) {}

 private:
  void on_request_impl(beast_http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head_.method.assign(method.data(), method.size());
    head_.target.assign(target.data(), target.size());
    head_.version = static_cast<unsigned>(version);
  }
  void on_response_impl(int, string_view, int, error_code&) override {}

  RequestHead& head_;
};

class ResponseParser final : public HeadParser<false> {
 public:
  explicit ResponseParser(ResponseHead& head) : HeadParser(head.fields), head_(head) {}

 private:
  void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view, int version, error_code&) override {
    head_.status = status;
    head_.version = static_cast<unsigned>(version);
  }

  ResponseHead& head_;
};

}  // namespace

std::size_t find_head_end(std::string_view bytes, std::size_t scanned) {
  // The end may straddle what was scanned before.
  const auto at = bytes.find("\r\n\r\n", scanned < 3 ? 0 : scanned - 3);
  return at == std::string_view::npos ? kNoHeadEnd : at + 4;
}

std::optional<Refusal> parse_request_head(std::string_view bytes, ParsedRequest& parsed, HeadLimits limits) {
  if (bytes.find('\r') > limits.request_line) return Refusal{414, "The request line is too long."};
  if (!is_clean_head(bytes)) return Refusal{400, "The request head holds a byte that is not allowed there."};
  const auto version = request_line_version(bytes);
  if (!version) return Refusal{400, "The request line is malformed."};
  if (*version != 10 && *version != 11)
    return Refusal{505, "Only versions 1.0 and 1.1 of HTTP are spoken here."};
  auto& head = parsed.head;
  head.fields.reserve(16);
  if (!RequestParser(head).parse(bytes)) return Refusal{400, "The request head is malformed."};
  if (head.fields.size() > limits.fields) return Refusal{431, "The request has too many fields."};
  std::optional<std::uint64_t> length;
  if (!read_framing(head.fields, head.version, parsed.framing, length)) {
    return Refusal{400, "The request's body framing is ambiguous."};
  }
  if (auto refusal = check_target_and_host(head)) return refusal;
  parsed.keep_alive = allows_keep_alive(head.fields, head.version);
  parsed.takes_trailers = head.version >= 11 && head.fields.has_token("TE", "trailers");
  if (parsed.framing.kind == Framing::Kind::none) head.upgrade = offered_protocols(head.fields, head.version);
  // RFC 9110 10.1.1: an expectation of an HTTP/1.0 client is ignored.
  if (head.version >= 11 && head.fields.has("Expect")) {
    if (!equal_ignoring_case(head.fields.joined("Expect"), "100-continue")) {
      return Refusal{417, "The only expectation understood here is 100-continue."};
    }
    parsed.expects_continue = parsed.framing.kind != Framing::Kind::none;
  }
  return std::nullopt;
}

bool parse_response_head(std::string_view bytes, bool answers_head_request, ParsedResponse& parsed) {
  if (!is_clean_head(bytes)) return false;
  parsed.head.fields.reserve(16);
  ResponseParser parser(parsed.head);
  std::string completed;
  if (bytes.find('\r') == kBareStatusLine) {
    completed.append(bytes).insert(kBareStatusLine, 1, ' ');
    bytes = completed;
  }
  if (!parser.parse(bytes)) return false;
  const int status = parsed.head.status;
  if (status < 100 || status > 599) return false;
  if (!read_framing(parsed.head.fields, parsed.head.version, parsed.framing, parsed.declared_length))
    return false;
  parsed.keep_alive = allows_keep_alive(parsed.head.fields, parsed.head.version);
  // RFC 9112 6.3: these have no body, whatever the fields say.
  if (answers_head_request || status < 200 || status == 204 || status == 304) {
    parsed.framing = {};
  } else if (parsed.framing.kind == Framing::Kind::none && !parsed.declared_length) {
    parsed.framing = {Framing::Kind::until_close, 0};
    parsed.keep_alive = false;
  }
  return true;
}

}  // namespace tessera::http
