// A Beast parser that was given a head which announces a chunked body reads nothing but that body.
#include "http/chunked.h"

#include <algorithm>
#include <cstring>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace tessera::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

constexpr std::string_view kHead = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::size_t kMaxExtension = 256;
// No chunk line with what follows it is shorter: the last chunk is "0", CRLF, CRLF.
constexpr std::size_t kShortestEnd = 5;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

}  // namespace

struct ChunkedDecoder::Parser final : beast_http::basic_parser<true> {
  Parser() {
    body_limit(boost::none);
    error_code error;
    put(boost::asio::const_buffer(kHead.data(), kHead.size()), error);
    eager(true);
  }

  std::span<char> out;
  std::size_t produced = 0;
  std::uint64_t left_in_chunk = 0;

 private:
  void on_request_impl(beast_http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(beast_http::field, string_view, string_view, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code&) override { return body.size(); }
  void on_finish_impl(error_code&) override {}

  void on_chunk_header_impl(std::uint64_t, string_view extension, error_code& error) override {
    // Beast lets a bare LF pass inside a quoted extension.
    if (extension.size() > kMaxExtension || std::any_of(extension.begin(), extension.end(), is_control)) {
      error = beast_http::error::bad_chunk_extension;
    }
  }

  std::size_t on_chunk_body_impl(std::uint64_t remaining, string_view body, error_code& error) override {
    const auto count = std::min(body.size(), out.size() - produced);
    if (count != 0) std::memcpy(out.data() + produced, body.data(), count);
    produced += count;
    left_in_chunk = remaining - count;
    if (count < body.size()) error = beast_http::error::need_buffer;
    return count;
  }
};

ChunkedDecoder::ChunkedDecoder() : parser_(std::make_unique<Parser>()) {}
ChunkedDecoder::~ChunkedDecoder() = default;

bool ChunkedDecoder::done() const {
  return parser_->is_done();
}

Result<ChunkedDecoder::Step> ChunkedDecoder::decode(std::string_view in, std::span<char> out) {
  Step step;
  parser_->out = out;
  parser_->produced = 0;
  while (!parser_->is_done()) {
    const auto rest = in.substr(step.consumed);
    // Beast asserts that a last chunk which it has seen the beginning of comes back at least this long.
    if (rest.empty() || (parser_->left_in_chunk == 0 && rest.size() < kShortestEnd)) break;
    error_code error;
    const auto used = parser_->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    step.consumed += used;
    if (error == beast_http::error::need_buffer) break;
    if (error && error != beast_http::error::need_more) return Error::malformed_message;
    if (used == 0) break;
  }
  step.produced = parser_->produced;
  return step;
}

}  // namespace tessera::http
