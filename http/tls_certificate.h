// Which names a certificate is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct x509_st;

namespace tessera::http {

// The DNS names (subjectAltName; without one the common name) in lower case; "*.example.org" among them.
std::vector<std::string> certificate_names(x509_st& certificate);

// How well one of the names fits a host: a wildcard stands for one whole label, the leftmost (RFC
// 6125 6.4.3).
enum class NameMatch { none, wildcard, exact };
NameMatch match_name(const std::vector<std::string>& names, std::string_view host);

}  // namespace tessera::http
