// A client's request for a collection, as the fetches on its behalf need it: a value that outlives the
// client.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/digest.h"
#include "config/settings.h"
#include "http/message.h"
#include "proxy/path_pattern.h"

namespace tessera::proxy {

// Immutable after construction; shared by the request's handler and the fetches that it started.
struct CollectionRequest {
  CollectionRequest(const http::Request& request, const config::RouteSettings& settings,
                    PathNames path_names);

  http::RequestHead
      carried;              // the fields that reach the origin with manifest, records and collection requests
  PathNames names;          // of the route's path
  std::string target;       // as the client sent it
  std::string accept;       // the client's Accept, all lines joined; "" when it sent none
  std::string parameters;   // the query's pieces that reach the records request and join the key
  bool restricted = false;  // the client's own query has `ids`: answered in whatever form the origin has for
                            // that, so nothing is shared with the unrestricted collection
  std::string caller;       // target and carried fields: requests with equal bytes share a manifest
  cache::Digest caller_digest;
  std::optional<std::string>
      credentials;  // the values of the route's credential fields, unset when it has none

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const;
};

using CollectionRequestPtr = std::shared_ptr<const CollectionRequest>;

}  // namespace tessera::proxy
