// A collection route: answers from fragments, and passes on to the origin whatever it cannot answer right.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "proxy/assembly.h"
#include "proxy/pass_route.h"
#include "proxy/route_parts.h"
#include "proxy/stale_guard.h"

namespace tessera::proxy {

// Thread-safe; shared by all event loops.
class CollectionRoute {
 public:
  explicit CollectionRoute(std::unique_ptr<RouteParts> parts);

  http::Task<http::Response> handle(http::Request& request, PathNames names, Worker& worker);

  const config::RouteSettings& settings() const { return parts_->settings; }
  RouteHealth& health() { return parts_->health; }
  const RouteShape& shape() const { return parts_->shape; }

 private:
  struct Exchange;  // one request on its way through the route

  http::Task<http::Response> pass_failed(std::shared_ptr<Exchange> exchange);
  http::Task<http::Response> serve(std::shared_ptr<Exchange> exchange);
  http::Task<std::optional<http::Response>> attempt(std::shared_ptr<Exchange> exchange);
  http::Task<std::optional<http::Response>> assemble(std::shared_ptr<Exchange> exchange, KeySpacePtr space);
  http::Task<http::Response> pass(std::shared_ptr<Exchange> exchange, Reason reason, std::string detail = {});
  std::shared_ptr<AssemblyFlight> join_flight(Exchange& exchange, const KeySpacePtr& space, bool* leads);

  std::optional<http::Response> hit(Exchange& exchange, const KeySpacePtr& space);
  std::optional<http::Response> stale(Exchange& exchange);
  http::Response answer(Exchange& exchange, const ManifestAnswer& manifest, cache::SnapshotPtr snapshot,
                        CacheStatus status, bool cached);
  http::Response stream(Exchange& exchange, CollectionStream stream);
  http::Response relay(Exchange& exchange, const ManifestAnswer& manifest);
  http::Fields fields_for(const Exchange& exchange, const ManifestAnswer& manifest,
                          const std::vector<std::string>& vary) const;
  void verify_now_and_then(Exchange& exchange, const cache::SnapshotPtr& snapshot);
  void note_outcome(const AssemblyFlight& flight, const cache::KeySpace& space);
  void log_once(Reason reason, const std::string& detail);

  std::unique_ptr<RouteParts> parts_;
  StaleGuard stale_guard_;
  std::optional<TargetTemplate> manifest_target_;
  std::atomic<bool> verifying_{false};  // in the background
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<AssemblyFlight>> flights_;
  std::unordered_map<std::string, bool> logged_;  // reason and detail: said once
};

}  // namespace tessera::proxy
