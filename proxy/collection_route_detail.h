// What the parts of a collection route (collection_route*.cc) share, and nobody else.
#pragma once

#include "proxy/collection_route.h"

namespace tessera::proxy {

struct CollectionRoute::Exchange {
  http::Request& request;
  Worker& worker;
  CollectionRequestPtr collection;
  ManifestAnswerPtr answer;
  bool shared = false;  // its manifest or its assembly is another request's too
};

}  // namespace tessera::proxy
