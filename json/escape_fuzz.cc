// The first byte chooses the mode, the second how much room each call finds; the rest is the text. With and
// without vector instructions, in one piece or in many, the same must come out; and what comes out must be
// JSON that reads back as the text.
#include "json/escape_fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include <rapidjson/document.h>

#include "json/escape.h"

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

bool reads_back(const std::string& escaped, std::string_view text) {
  rapidjson::Document document;
  const std::string json = '"' + escaped + '"';
  document.Parse<rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  return !document.HasParseError() &&
         std::string_view(document.GetString(), document.GetStringLength()) == text;
}

}  // namespace

void fuzz_escape(std::string_view input) {
  if (input.size() < 2) return;
  const auto mode = static_cast<Escape>(static_cast<unsigned char>(input[0]) % 3);
  const std::size_t room = static_cast<std::size_t>(kEscapeRoom) + static_cast<unsigned char>(input[1]);
  const std::string_view text = input.substr(2);
  const Outcome whole = escape(escape_text, mode, text, text.size() * 6 + 2 * kEscapeRoom);
  if (whole != escape(escape_text, mode, text, room)) std::abort();
  if (whole != escape(escape_text_scalar, mode, text, room)) std::abort();
  if (whole.valid != is_utf8(text)) std::abort();
  if (whole.valid && !reads_back(whole.text, text)) std::abort();
}

}  // namespace tessera::json

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::json::fuzz_escape({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
