// The fields of an answer assembled from fragments: those of this very request's manifest response, without
// what speaks of the manifest's own bytes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/envelope.h"
#include "http/fields.h"

namespace tessera::proxy {

// Leaves out ETag, Last-Modified, Content-* (but Content-Security-Policy), Accept-Ranges, digests (Digest,
// Repr-Digest, Content-Digest, Want-*), Age, Date (the answer is made now), Warning, Vary, Tessera-Revision,
// framing and hop-by-hop fields. Link targets that name the manifest's path are rewritten to the
// collection's, and relative ones are written out (see link_field.h); nothing to do when the two paths are
// equal.
http::Fields client_fields(const http::Fields& manifest_fields, std::string_view manifest_path,
                           std::string_view collection_path);

// The Vary of an answer: the manifest's names, the records', and Accept-Encoding; each once, without case,
// `*` wins.
std::string merged_vary(const http::Fields& manifest_fields, const std::vector<std::string>& records_vary);

// The names in all Vary lines, lower-case, sorted, each once; contains "*" when any line does.
std::vector<std::string> vary_names(const http::Fields& fields);

// How long a manifest may be reused from now on according to Cache-Control (RFC 9111 4.2: max-age, or
// s-maxage which wins) and Age, which is taken off. Nothing said, no-cache (with or without field names),
// no-store, unparsable or repeated with different values: 0. Larger numbers read as 2^31 seconds.
std::chrono::seconds manifest_freshness(const http::Fields& fields);

// The time of an HTTP-date field ("Date"), unset when absent, repeated or unreadable (RFC 9110 5.6.7, all
// three forms).
std::optional<std::chrono::system_clock::time_point> http_date(const http::Fields& fields,
                                                               std::string_view name);

}  // namespace tessera::proxy
