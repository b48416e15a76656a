// Asks the origin for manifests: conditionally, and coalesced without ever handing out an answer that is
// older than the request.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cache/generations.h"
#include "cache/memory_cache.h"
#include "config/settings.h"
#include "http/signal.h"
#include "proxy/collection_request.h"
#include "proxy/listing.h"
#include "proxy/manifest_answer.h"
#include "proxy/route_health.h"
#include "proxy/statistics.h"
#include "proxy/target_template.h"
#include "proxy/worker.h"

namespace tessera::proxy {

// One per route; thread-safe. A request never joins a fetch that began before it arrived: it joins the *next*
// one, as a database's group commit does, and that one starts when the running fetch ends - or, when that has
// been out for longer than limits.manifest_overlap, at once, up to limits.manifest_parallel at a time. The
// fetch belongs to no request.
class ManifestClient {
 public:
  ManifestClient(std::uint32_t route, const config::RouteSettings& settings, const config::Settings& all,
                 cache::MemoryCache& memory, const cache::Generations& generations, RouteHealth& health,
                 RouteStatistics& statistics);
  ~ManifestClient();

  enum class Purpose : unsigned char {
    request,  // an answer that Cache-Control still allows to be reused will do
    check,    // after a fill: begun after this call, whatever Cache-Control says
  };
  struct Got {
    ManifestAnswerPtr answer;  // null: the deadline passed first
    bool shared = false;       // it came of a fetch that another request caused
  };
  http::Task<Got> get(CollectionRequestPtr request, Worker& worker, Purpose purpose, http::Deadline deadline);

  // What is remembered of this caller, if anything.
  std::shared_ptr<Listing> listing(const CollectionRequest& request) const;

 private:
  struct Flight;
  struct Group;
  using GroupPtr = std::shared_ptr<Group>;

  http::RequestHead head_for(const CollectionRequest& request) const;
  void judge(const CollectionRequest& request, const ManifestAnswer& answer);
  std::chrono::milliseconds time_limit() const;  // for a manifest's head, and again for its body
  ManifestAnswerPtr reusable(const CollectionRequest& request) const;
  // The group's next fetch, which counts as running from now on. REQUIRES: mutex_ held, group.next set.
  std::shared_ptr<Flight> take_next(Group& group);
  // REQUIRES: mutex_ not held, for a fetch may run to its end within the call.
  void start(const GroupPtr& group, const std::shared_ptr<Flight>& flight, Worker& worker);
  http::Task<void> overlap(GroupPtr group, Worker* worker);
  std::chrono::steady_clock::time_point overlap_due(const Group& group);
  http::Task<void> run(GroupPtr group, std::shared_ptr<Flight> flight, Worker* worker);
  http::Task<ManifestAnswerPtr> fetch(CollectionRequestPtr request, Worker& worker, Purpose purpose);
  http::Task<void> read_answer(http::ClientResponse& response, ManifestAnswer& answer,
                               const std::shared_ptr<Listing>& known);
  static void confirm(ManifestAnswer& answer, const ManifestAnswer& last);
  void understand(std::string body, ManifestAnswer& answer, const std::shared_ptr<Listing>& known) const;
  void remember(const CollectionRequest& request, const ManifestAnswerPtr& answer,
                const std::shared_ptr<Listing>& known, const cache::Generations::Token& token) const;
  cache::MemoryKey key_of(const CollectionRequest& request) const;

  const std::uint32_t route_;
  const config::RouteSettings& settings_;
  const config::Settings& all_;
  const std::string digest_;  // of the route's settings: they decide how a manifest reads
  const bool by_accept_;
  std::optional<TargetTemplate> target_;  // of another target, when the route names one
  cache::ManifestShape shape_;
  cache::MemoryCache& memory_;
  const cache::Generations& generations_;
  RouteHealth& health_;
  RouteStatistics& statistics_;

  std::mutex mutex_;
  std::unordered_map<std::string, GroupPtr>
      groups_;  // with a fetch running or waiting; by CollectionRequest::caller
};

}  // namespace tessera::proxy
