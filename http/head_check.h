// The rules of RFC 9112 and RFC 9110 that Beast does not enforce. Pure: bytes and fields in, a verdict out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/fields.h"
#include "http/head_parser.h"

namespace tessera::http {

// True when every line of a head ends with CRLF, none continues the one before (obs-fold), and no control
// byte but HTAB is in it (RFC 9112 2.2, 5.2).
bool is_clean_head(std::string_view head);

// The version that a request line names, as 10 * major + minor; nullopt when it names none.
std::optional<unsigned> request_line_version(std::string_view head);

// uri-host [":" port], not empty, no user information (RFC 9110 7.2, RFC 3986 3.2).
bool is_host_value(std::string_view value);

// Digits only, 65535 at most; Boost.URL lets larger ones wrap around.
std::optional<unsigned short> parse_port(std::string_view text);

// Digits only, and within 63 bits.
std::optional<std::uint64_t> parse_content_length(std::string_view text);

// How the body is framed; false when the fields contradict each other or say what we do not accept.
// `declared_length` is Content-Length's value when there is one.
bool read_framing(const Fields& fields, unsigned version, Framing& framing,
                  std::optional<std::uint64_t>& declared_length);

// True when the sender allows another message on the connection (RFC 9112 9.3).
bool allows_keep_alive(const Fields& fields, unsigned version);

// The protocols that Connection and Upgrade offer (RFC 9110 7.8), but for those that speak HTTP or TLS
// themselves: behind "h2c" requests would pass that nobody has looked at. Empty: none.
std::string offered_protocols(const Fields& fields, unsigned version);

// Checks Host and target; reduces absolute-form to origin-form (RFC 9112 3.2). nullopt: fine.
std::optional<Refusal> check_target_and_host(RequestHead& head);

}  // namespace tessera::http
