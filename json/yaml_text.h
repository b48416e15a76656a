// Scalars of YAML that the readers of YAML 1.1 and of 1.2 take for the same thing. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tessera::json {

// True for a text that needs no quotes in a block of YAML, whoever reads it: ASCII that begins with a letter,
// goes on harmlessly, and is none of the words for true, false and null. Where in doubt: false.
bool is_plain_text(std::string_view text);

// True for a text that yaml-cpp's own double quotes would change or write unreadably: it replaces Unicode's
// noncharacters (U+FFFE and others), and leaves DEL and the line ends U+2028 and U+2029 as they are.
// REQUIRED: UTF-8.
bool needs_own_quotes(std::string_view text);
std::string quoted_text(std::string_view text);  // in double quotes, such characters escaped

// A JSON number as YAML 1.1 too takes it for one: 1E5 has to be 1.0E+5 there.
std::string yaml_number(std::string_view token);

}  // namespace tessera::json
