// Control octets in protocol text (RFC 9110 5.5, RFC 5234's CTL).
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::http {

// The place of the first octet from `from` on that is below 0x20 (HTAB too) or 0x7f; npos: there is none.
std::size_t find_control(std::string_view text, std::size_t from = 0);

}  // namespace tessera::http
