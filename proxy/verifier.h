// Holds an answer that was assembled from records against the origin's own rendering of the collection.
#pragma once

#include "cache/snapshot.h"
#include "proxy/collection_client.h"
#include "proxy/manifest_client.h"

namespace tessera::proxy {

enum class Verdict : unsigned char {
  equal,
  different,  // of the same instant, and not the same bytes: logged, with pointer and hashes but no content
  moved,      // the collection changed meanwhile: nothing can be said
  failed,     // the origin did not give the collection, or no manifest
};

// One per route; keeps no state.
class Verifier {
 public:
  Verifier(std::string route, CollectionClient& collections, ManifestClient& manifests,
           RouteStatistics& statistics)
      : route_(std::move(route)), collections_(collections), manifests_(manifests), statistics_(statistics) {}

  // `answer` is the manifest answer that the snapshot was made from. With Verdict::moved, *newer is the
  // manifest answer of after the rendering.
  http::Task<Verdict> verify(CollectionRequestPtr request, ManifestAnswerPtr answer,
                             cache::SnapshotPtr snapshot, Worker& worker, ManifestAnswerPtr* newer);

 private:
  void log_difference(const cache::Snapshot& snapshot, std::string_view document) const;

  const std::string route_;
  CollectionClient& collections_;
  ManifestClient& manifests_;
  RouteStatistics& statistics_;
};

}  // namespace tessera::proxy
