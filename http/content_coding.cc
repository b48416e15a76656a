#include "http/content_coding.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <zlib.h>

namespace tessera::http {
namespace {

constexpr int kGzipOrZlib = MAX_WBITS + 32;  // zlib looks at the header
constexpr int kRaw = -MAX_WBITS;
constexpr std::size_t kStep = 64 * 1024;

// zlib wrapper or gzip magic (RFC 1950 2.2, RFC 1952 2.3.1).
bool has_header(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  if (first == 0x1f && second == 0x8b) return true;
  return (first & 0x0f) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
}

class Inflater {
 public:
  explicit Inflater(int window_bits) : ready_(inflateInit2(&stream_, window_bits) == Z_OK) {}
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Decodes one member from the front of `bytes`, which moves on.
  boost::system::error_code run(std::string_view& bytes, std::string& out, std::size_t limit) {
    if (!ready_) return Error::bad_coding;
    for (;;) {
      const auto given = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(given);
      // One byte more than allowed, so that too much shows.
      const std::size_t room = limit - out.size() < kStep ? limit - out.size() + 1 : kStep;
      const std::size_t before = out.size();
      out.resize(before + room);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t produced = room - stream_.avail_out;
      out.resize(before + produced);
      bytes.remove_prefix(given - stream_.avail_in);
      if (out.size() > limit) return Error::body_too_large;
      if (status == Z_STREAM_END) return {};
      if (status != Z_OK || (produced == 0 && bytes.empty())) return Error::bad_coding;
    }
  }

 private:
  z_stream stream_{};
  bool ready_;
};

}  // namespace

Result<std::string> decode_gzip(std::string_view bytes, std::size_t limit) {
  std::string out;
  bool more = true;
  while (more) {
    Inflater inflater(has_header(bytes) ? kGzipOrZlib : kRaw);
    if (const auto error = inflater.run(bytes, out, limit)) return error;
    more = has_header(bytes) && static_cast<unsigned char>(bytes[0]) == 0x1f;  // RFC 1952 2.2
  }
  if (!bytes.empty()) return Error::bad_coding;
  return out;
}

}  // namespace tessera::http
