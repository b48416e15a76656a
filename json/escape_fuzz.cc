// The first byte chooses the mode, the second how much room each call finds; the rest is the text. With and
// without vector instructions, in one piece or in many, what comes out must be what the reference says; it
// must be JSON that reads back as the text; and a document with the text in it must be as safe after the pass
// over the output as if it had been written so.
#include "json/escape_fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include <rapidjson/document.h>

#include "json/encode.h"
#include "json/escape.h"
#include "json/escape_reference.h"

namespace tessera::json {
namespace {

using EscapeFunction = EscapeProgress (*)(Escape, const char*, const char*, char*, const char*);

struct Outcome {
  std::string text;
  std::size_t used = 0;
  bool valid = true;

  bool operator==(const Outcome&) const = default;
};

Outcome escape(EscapeFunction function, Escape mode, std::string_view text, std::size_t room) {
  Outcome outcome;
  std::string space(room, '\0');
  const char* in = text.data();
  const char* const end = in + text.size();
  while (in != end && outcome.valid) {
    const EscapeProgress progress = function(mode, in, end, space.data(), space.data() + space.size());
    outcome.text.append(space.data(), static_cast<std::size_t>(progress.out - space.data()));
    if (progress.valid && progress.in == in) std::abort();  // a call with enough room gets on
    in = progress.in;
    outcome.valid = progress.valid;
  }
  outcome.used = static_cast<std::size_t>(in - text.data());
  return outcome;
}

// The string that a JSON text holds; none when it is no string in JSON.
std::optional<std::string> read_back(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsString()) return std::nullopt;
  return std::string(document.GetString(), document.GetStringLength());
}

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

void fuzz_escape(std::string_view input) {
  if (input.size() < 2) return;
  const auto mode = static_cast<Escape>(static_cast<unsigned char>(input[0]) % 3);
  const std::size_t room = static_cast<std::size_t>(kEscapeRoom) + static_cast<unsigned char>(input[1]);
  const std::string text(input.substr(2));
  const Outcome whole = escape(escape_text, mode, text, text.size() * 6 + 2 * kEscapeRoom);
  check(whole == escape(escape_text, mode, text, room));
  check(whole == escape(escape_text_scalar, mode, text, room));
  check(whole.valid == is_utf8(text));
  check(whole.text == reference_escape(mode, text.substr(0, whole.used)));

  check(escape_json(mode, text) == reference_escape_json(mode, text));
  check(escape_json_scalar(mode, text) == reference_escape_json(mode, text));

  const Result<std::string> strict = encode(text, {.escape = mode});
  check(strict.has_value() == whole.valid);
  const std::string lenient = encode(text, {.escape = mode, .invalid_utf8 = InvalidUtf8::replace}).value();
  const std::string plain =
      encode(text, {.escape = Escape::none, .invalid_utf8 = InvalidUtf8::replace}).value();
  check(escape_json(mode, plain) == lenient);
  const std::optional<std::string> read = read_back(lenient);
  check(read.has_value());
  if (whole.valid) {
    check(*strict == lenient);
    check(*read == text);
  }
}

}  // namespace tessera::json

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::json::fuzz_escape({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
