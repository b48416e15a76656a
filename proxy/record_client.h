// Fetches missing records from the origin: batched, a few batches at once, joined by id.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "proxy/collection_request.h"
#include "proxy/rendered_records.h"
#include "proxy/statistics.h"
#include "proxy/target_template.h"
#include "proxy/worker.h"

namespace tessera::proxy {

// What the records requests of one fill brought. Nothing of it is checked against a later manifest yet.
struct RecordFill {
  Reason failure = Reason::none;
  std::vector<std::pair<std::size_t, cache::FragmentPtr>> found;  // by the manifest's position
  std::vector<std::size_t> left_out;         // asked for, and not (or not unambiguously) in the answer
  std::vector<std::size_t> version_differs;  // the record shows another version than the manifest's
  std::size_t batches = 0;
  bool split = false;  // the origin refused a batch for its size, so that it took more requests than planned
  bool one_revision =
      true;  // every batch carried the same, non-empty Tessera-Revision: `representation.revision`
  Representation representation;  // of the batches; equal in all, or else failure
};

// The target of a records request; with no ids it names all that the rendering of a record depends on.
std::string records_target(const TargetTemplate& target, const CollectionRequest& request,
                           std::string_view ids);

// One per route; keeps no state between fills.
class RecordClient {
 public:
  RecordClient(const config::RouteSettings& settings, const config::Settings& all, const RouteShape& shape,
               RouteStatistics& statistics);

  // Asks for the records at these positions of the manifest, in that order, at most `batch_ids` in one
  // request. A 400, 413 or 414 halves the batch. `manifest` outlives the call.
  http::Task<RecordFill> fetch(CollectionRequestPtr request, std::shared_ptr<const cache::Manifest> manifest,
                               std::vector<std::size_t> positions, std::size_t batch_ids, Worker& worker,
                               http::Deadline deadline);
  // True when the records at these positions fit in one request.
  bool fits_one_batch(const CollectionRequest& request, const cache::Manifest& manifest,
                      const std::vector<std::size_t>& positions) const;

 private:
  struct Run;
  std::vector<std::vector<std::size_t>> plan(const CollectionRequest& request,
                                             const cache::Manifest& manifest,
                                             const std::vector<std::size_t>& positions,
                                             std::size_t batch_ids) const;
  http::Task<void> lane(std::shared_ptr<Run> run, Worker* worker);
  http::Task<void> ask(std::shared_ptr<Run> run, std::vector<std::size_t> batch, Worker* worker);
  void take(Run& run, const std::vector<std::size_t>& batch, std::string body, Representation representation,
            cache::SystemTime born);

  const config::Settings& all_;
  const RouteShape& shape_;
  TargetTemplate target_;
  RouteStatistics& statistics_;
};

}  // namespace tessera::proxy
