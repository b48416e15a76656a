#include "http/body_writer.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>

namespace tessera::http {
namespace {

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kPieces = 4;  // of one write: head, chunk line, bytes, CRLF
constexpr std::string_view kCrlf = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

iovec piece_of(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

Deadline source_deadline(const BodyPlan& plan) {
  if (plan.source_pause == std::chrono::milliseconds::max()) return plan.source_deadline;
  return std::min(plan.source_deadline, std::chrono::steady_clock::now() + plan.source_pause);
}

// The pieces behind the first `written` bytes; how many there are.
std::size_t unwritten(std::span<const iovec> pieces, std::size_t written, iovec (&rest)[kPieces]) {
  std::size_t count = 0;
  for (const auto& piece : pieces) {
    const auto skipped = std::min(written, piece.iov_len);
    written -= skipped;
    if (skipped == piece.iov_len) continue;
    rest[count++] = {static_cast<char*>(piece.iov_base) + skipped, piece.iov_len - skipped};
  }
  return count;
}

// "<size in hex>CRLF" of one chunk.
class ChunkLine {
 public:
  std::string_view make(std::size_t size) {
    char* end = std::to_chars(text_, text_ + sizeof text_ - kCrlf.size(), size, 16).ptr;
    end = std::copy(kCrlf.begin(), kCrlf.end(), end);
    return {text_, static_cast<std::size_t>(end - text_)};
  }

 private:
  char text_[20];
};

// Sends one piece with what surrounds it. The head rides along with the first one.
class PieceSender {
 public:
  PieceSender(Connection& connection, std::string_view head, const BodyPlan& plan)
      : connection_(connection), head_(head), plan_(plan) {}

  Task<bool> send(std::string_view bytes, BodySent& sent) {
    iovec pieces[kPieces];
    std::size_t count = 0;
    if (!head_.empty()) pieces[count++] = piece_of(head_);
    std::size_t before = head_.size();
    if (!bytes.empty() && plan_.chunked) {
      const auto line = line_.make(bytes.size());
      before += line.size();
      pieces[count++] = piece_of(line);
    }
    if (!bytes.empty()) pieces[count++] = piece_of(bytes);
    if (!bytes.empty() && plan_.chunked) pieces[count++] = piece_of(kCrlf);
    head_ = {};
    const std::span<iovec> all(pieces, count);
    co_return co_await write(all, before, bytes.size(), sent);
  }

  // `trailers` may be null.
  Task<bool> finish(const Fields* trailers, BodySent& sent) {
    iovec pieces[2];
    std::size_t count = 0;
    if (!head_.empty()) pieces[count++] = piece_of(head_);
    std::string end(plan_.chunked ? kLastChunk : std::string_view());
    if (plan_.chunked && trailers != nullptr) {
      end.resize(end.size() - kCrlf.size());
      for (const auto& line : *trailers) end.append(line.name).append(": ").append(line.value).append(kCrlf);
      end += kCrlf;
    }
    if (!end.empty()) pieces[count++] = piece_of(end);
    head_ = {};
    const std::span<iovec> all(pieces, count);
    co_return co_await write(all, 0, 0, sent);
  }

 private:
  // False: the peer failed or interrupted; `sent` says which.
  Task<bool> write(std::span<iovec> pieces, std::size_t before, std::size_t size, BodySent& sent) {
    if (pieces.empty()) co_return true;
    sent.head_sent = true;
    std::size_t written = 0;
    WriteResult result;
    for (;;) {
      iovec rest[kPieces];  // write() moves its own on
      const auto count = unwritten(pieces, written, rest);
      const std::span<iovec> all(rest, count);
      result = co_await connection_.write(all, plan_.limits);
      written += result.bytes;
      if (!result.interrupted || !plan_.on_input) break;
      const bool going_on = co_await plan_.on_input();
      if (!going_on) break;
    }
    sent.bytes += std::min(written > before ? written - before : 0, size);
    if (!result.error && !result.interrupted) co_return true;
    sent.end = result.interrupted ? BodySent::End::interrupted : BodySent::End::peer_failed;
    sent.error = result.error;
    co_return false;
  }

  Connection& connection_;
  std::string_view head_;
  const BodyPlan& plan_;
  ChunkLine line_;
};

}  // namespace

Task<BodySent> send_source(Connection& connection, std::string_view head, BodySource& source, BodyPlan plan) {
  BodySent sent;
  PieceSender sender(connection, head, plan);
  const auto length = source.length();
  if (plan.head_first) {
    const bool going = co_await sender.send(std::string_view(), sent);
    if (!going) co_return sent;
  }
  // Small bodies of known length need no large buffer.
  const std::size_t room = length && *length < kPiece ? static_cast<std::size_t>(*length) + 1 : kPiece;
  const std::unique_ptr<char[]> buffer(new char[room]);
  std::uint64_t total = 0;
  for (;;) {
    const std::span<char> space(buffer.get(), room);
    const auto read = co_await source.read_some(space, source_deadline(plan));
    total += read ? *read : 0;
    const bool wrong_length = read && length && (*read == 0 ? total != *length : total > *length);
    if (!read || wrong_length) {
      sent.end = BodySent::End::source_failed;
      sent.error = read ? make_error_code(Error::incomplete_body) : read.error();
      co_return sent;
    }
    if (*read == 0) break;
    const std::string_view bytes(buffer.get(), *read);
    const bool going = co_await sender.send(bytes, sent);
    if (!going) co_return sent;
  }
  co_await sender.finish(plan.trailers ? source.trailers() : nullptr, sent);
  co_return sent;
}

}  // namespace tessera::http
