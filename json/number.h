// The number that a token stands for (RFC 8259 section 6), exactly or not at all. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "json/error.h"

namespace tessera::json {

// An integer outside -2^63 to 2^64-1.
struct LargeInteger {};

// Integers have neither fraction nor exponent. Negative ones are signed, the others unsigned; -0, which no
// integer type holds, is a double.
using Number = std::variant<std::int64_t, std::uint64_t, double, LargeInteger>;

// Error::number_not_kept for a fraction or an exponent that no finite double stands for (1E400, 1E-400).
// REQUIRED: a number that read_document has reported.
Result<Number> read_number(std::string_view token);

}  // namespace tessera::json
