// The one scan that turns UTF-8 text into the inside of a JSON string: JSON's own escapes, those that make it
// safe inside HTML or JavaScript, and the check that the text is UTF-8 at all (RFC 3629), in a single pass.
// And the pass that makes a whole JSON document safe, for those that were written elsewhere.
// Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::json {

// Which characters are escaped beyond those that RFC 8259 section 7 demands (", \ and U+0000 to U+001F).
enum class Escape : std::uint8_t {
  none,  // no others
  js,    // U+2028 and U+2029, which end a line in JavaScript before ES2019
  html,  // these two, and < > &
};

// How far an escape got.
struct EscapeProgress {
  const char* in;     // the first byte of the input that was not consumed
  char* out;          // behind the last byte written
  bool valid = true;  // false: the input is not UTF-8 at `in`
};

// escape_text goes on while at least this many bytes are left before `limit`; it may write scratch into them.
inline constexpr std::ptrdiff_t kEscapeRoom = 32;

// Escapes [in, end) to `out` until the input ends, the room runs out, or the text turns out not to be UTF-8.
// The caller makes room and calls again when `in` is not at the end and `valid` holds.
EscapeProgress escape_text(Escape mode, const char* in, const char* end, char* out, const char* limit);

// The same bytes without vector instructions: what other processors run, and what tests compare with.
EscapeProgress escape_text_scalar(Escape mode, const char* in, const char* end, char* out, const char* limit);

// Makes a JSON document that was written elsewhere as safe as if it had been written with `mode`: outside of
// strings JSON has none of the characters in question, so their bytes are replaced wherever they are. Nothing
// is validated, nothing else changes, and a document that is safe already comes back as it is. The input is
// whole: a character that is cut between two calls is not found.
std::string escape_json(Escape mode, std::string_view document);
std::string escape_json_scalar(Escape mode, std::string_view document);  // the same without vectors

// The length of the UTF-8 sequence at `in` (RFC 3629: no overlong form, no surrogate, nothing above
// U+10FFFF), or 0 when there is none. REQUIRED: in < end.
std::size_t utf8_sequence(const char* in, const char* end);

// How many bytes one U+FFFD stands for where utf8_sequence is 0: the longest beginning of a sequence, at
// least one byte (the Unicode Standard, section 3.9, substitution of maximal subparts). REQUIRED: in < end.
std::size_t utf8_fault(const char* in, const char* end);

bool is_utf8(std::string_view text);

}  // namespace tessera::json
