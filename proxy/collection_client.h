// Fetches the whole collection from the origin, streaming it to the client that caused the fetch while it
// comes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/settings.h"
#include "proxy/collection_request.h"
#include "proxy/growing_body.h"
#include "proxy/rendered_records.h"
#include "proxy/statistics.h"
#include "proxy/worker.h"

namespace tessera::proxy {

// The response as it comes, for the one client that waits for it. Its fields are of the same instant as its
// body, which the manifest's need not be.
struct CollectionStream {
  http::Fields fields;
  Representation representation;
  std::unique_ptr<http::BodySource> body;
};

struct WholeCollection {
  Reason failure = Reason::none;
  Representation representation;
  std::string document;  // decoded, whole
  cache::SystemTime born;
};

// One per route; keeps no state between fetches.
class CollectionClient {
 public:
  CollectionClient(const config::Settings& all, RouteStatistics& statistics)
      : all_(all), statistics_(statistics) {}

  using OnStream = std::function<void(CollectionStream)>;
  // `on_stream` (may be empty) is called once the response's head is there and a 200; the client may then be
  // gone without ending the fetch. A collection past limits.collection goes on to that client, but comes back
  // as Reason::too_large. The caller counts the request.
  http::Task<WholeCollection> fetch(CollectionRequestPtr request, Worker& worker, OnStream on_stream);

 private:
  const config::Settings& all_;
  RouteStatistics& statistics_;
};

}  // namespace tessera::proxy
