// What a proxy does to the fields that pass through it (RFC 9110 7.6, RFC 7239). Pure.
//
// What a request says about the client's address, scheme or host is overwritten, unless its peer is a trusted
// proxy (Request::trusted): then it is believed, and extended where the field is a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace tessera::proxy {

// Removes Connection, what it names, and the other hop-by-hop fields (RFC 9110 7.6.1), Expect included. A
// nomination of a field that is meant for every recipient (Host, Authorization, Cookie, Cache-Control,
// Content-*, Forwarded, X-Forwarded-*, ...) is ignored, since Connection must never name one: a client could
// otherwise take away what says who is asking.
void remove_hop_by_hop(http::Fields& fields);
// Of a response, the Upgrade that its status is about (101, 426) is kept.
void remove_hop_by_hop(http::ResponseHead& head);

// Overwrites X-Forwarded-For/-Proto/-Host and Forwarded with what we know of the client. A client's own
// claims go: every X-Forwarded-*, Forwarded, X-Original-URL, X-Rewrite-URL, the method-override fields and
// Proxy, in every spelling that a CGI-like server takes for them (X_Forwarded_For). A trusted peer's claims
// stay, but for Proxy and odd spellings: its X-Forwarded-For and Forwarded get our peer appended, its
// X-Forwarded-Proto (when it is http or https) and -Host are kept.
void add_forwarded(http::Fields& fields, const http::Request& request);
// Appends "1.1 tessera" to Via; `version` (10 or 11) is that of the message that was received (RFC
// 9110 7.6.3).
void add_via(http::Fields& fields, unsigned version);

// The head to send to the origin for a client's request that is passed on: the same method, target, upgrade
// and fields, cleaned; with the request's id. `TE: trailers` stays when the client sent it; Max-Forwards
// counts this hop.
http::RequestHead forwarded_head(const http::Request& request);

// True when a trusted peer's fields make another request of this one (X-Original-URL, X-Rewrite-URL, method
// overrides): only the origin knows which, so it is not for the cached path.
bool is_overridden(const http::Request& request);

// A GET for `target` with what a manifest, records or collection request carries of the client's:
// Authorization, Cookie, Host, Accept-Language, Origin and the route's `vary` fields (without those that
// Connection nominates); X-Forwarded-Proto and -Host, Forwarded and Via of our own; `Accept-Encoding:
// identity`; no If-*, no Range. Accept is the caller's to set.
//
// The client's address is not among it (no X-Forwarded-For, no `for=`): it differs for each client, and a
// manifest that many requests share must not depend on who asked first. A route whose origin does vary on it
// says so: `vary` with x-forwarded-for or forwarded brings the address into the request and into the key.
http::RequestHead carried_head(const http::Request& request, const std::vector<std::string>& vary,
                               std::string target);
// The same fields, each with its length, and scheme and host as the origin is told them, for a key: of one
// route, only requests with equal bytes share a manifest. Method, target and Accept are the caller's to add.
std::string carried_key(const http::Request& request, const std::vector<std::string>& vary);
// True when an origin may vary on that request field in a route with these `vary` fields: it is carried, or
// it is Accept, Accept-Encoding, X-Forwarded-Proto or X-Forwarded-Host, which every request to the origin
// has.
bool is_carried(std::string_view name, const std::vector<std::string>& vary);

}  // namespace tessera::proxy
