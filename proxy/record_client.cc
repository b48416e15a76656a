// Lanes of one fill run on one event loop and share a Run: whoever comes next takes the next batch.
#include "proxy/record_client.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "http/signal.h"
#include "proxy/decoded_body.h"
#include "proxy/query.h"

namespace tessera::proxy {

struct RecordClient::Run {
  CollectionRequestPtr request;
  std::shared_ptr<const cache::Manifest> manifest;
  std::deque<std::vector<std::size_t>> batches;
  std::size_t lanes = 0;
  http::Deadline deadline;
  http::Signal done;
  bool answered = false;  // by at least one batch
  RecordFill fill;

  void fail(Reason reason) {
    if (fill.failure == Reason::none) fill.failure = reason;
    batches.clear();
  }
};

RecordClient::RecordClient(const config::RouteSettings& settings, const config::Settings& all,
                           const RouteShape& shape, RouteStatistics& statistics)
    : all_(all), shape_(shape), target_(*TargetTemplate::parse(settings.records)), statistics_(statistics) {}

std::string records_target(const TargetTemplate& target, const CollectionRequest& request,
                           std::string_view ids) {
  TargetTemplate::Values values;
  values.path = request.path();
  values.query = request.parameters;
  values.ids = ids;
  values.names = &request.names;
  return target.expand(values);
}

std::vector<std::vector<std::size_t>> RecordClient::plan(const CollectionRequest& request,
                                                         const cache::Manifest& manifest,
                                                         const std::vector<std::size_t>& positions,
                                                         std::size_t batch_ids) const {
  const std::size_t fixed = records_target(target_, request, "").size();
  const std::size_t room = all_.limits.batch_target > fixed ? all_.limits.batch_target - fixed : 1;
  std::vector<std::vector<std::size_t>> batches;
  std::size_t used = 0;
  for (const std::size_t position : positions) {
    const std::size_t size = percent_encode(manifest.entries()[position].id).size() + 1;
    if (batches.empty() || batches.back().size() == batch_ids || used + size > room) {
      batches.emplace_back();
      used = 0;
    }
    batches.back().push_back(position);
    used += size;
  }
  return batches;
}

bool RecordClient::fits_one_batch(const CollectionRequest& request, const cache::Manifest& manifest,
                                  const std::vector<std::size_t>& positions) const {
  return positions.empty() || plan(request, manifest, positions, all_.limits.batch_ids).size() == 1;
}

http::Task<RecordFill> RecordClient::fetch(CollectionRequestPtr request,
                                           std::shared_ptr<const cache::Manifest> manifest,
                                           std::vector<std::size_t> positions, std::size_t batch_ids,
                                           Worker& worker, http::Deadline deadline) {
  auto run = std::make_shared<Run>();
  for (auto& batch : plan(*request, *manifest, positions, std::max<std::size_t>(batch_ids, 1))) {
    run->batches.push_back(std::move(batch));
  }
  run->request = std::move(request);
  run->manifest = std::move(manifest);
  run->deadline = deadline;
  run->lanes = std::min<std::size_t>(run->batches.size(), all_.limits.batch_parallel);
  if (run->lanes == 1) {
    co_await lane(run, &worker);
  } else {
    for (std::size_t i = run->lanes; i > 0; --i) {
      worker.tasks.spawn([this, run, to = &worker] { return lane(run, to); });
    }
    // Every lane ends by the deadline of its own requests.
    if (!co_await run->done.wait(http::kNoDeadline)) run->fail(Reason::shutting_down);
  }
  co_return std::move(run->fill);
}

http::Task<void> RecordClient::lane(std::shared_ptr<Run> run, Worker* worker) {
  try {
    while (!run->batches.empty()) {
      std::vector<std::size_t> batch = std::move(run->batches.front());
      run->batches.pop_front();
      co_await ask(run, std::move(batch), worker);
    }
  } catch (...) {
    run->fail(Reason::shutting_down);  // cancelled: the waiter must still be told
  }
  if (--run->lanes == 0) run->done.set();
}

http::Task<void> RecordClient::ask(std::shared_ptr<Run> run, std::vector<std::size_t> batch, Worker* worker) {
  std::string ids;
  for (const std::size_t position : batch) {
    if (!ids.empty()) ids += ',';
    ids += percent_encode(run->manifest->entries()[position].id);
  }
  http::RequestHead head = run->request->carried;
  head.target = records_target(target_, *run->request, ids);
  if (!run->request->accept.empty()) head.fields.set("Accept", run->request->accept);
  const cache::SystemTime born = std::chrono::system_clock::now();
  ++run->fill.batches;
  count(statistics_.origin_records);
  auto response = co_await worker->origin.send(std::move(head), nullptr, run->deadline);
  if (!response) {
    run->fail(Reason::records_failed);
    co_return;
  }
  auto body = co_await http::read_all(*response->body, all_.limits.collection.value, run->deadline);
  if (!body) {
    run->fail(body.error() == http::make_error_code(http::Error::body_too_large) ? Reason::too_large
                                                                                 : Reason::records_failed);
    co_return;
  }
  count(statistics_.bytes_origin, body->size());
  const int status = response->head.status;
  if ((status == 400 || status == 413 || status == 414) && batch.size() > 1) {
    run->fill.split = true;
    const auto middle = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
    run->batches.emplace_back(batch.begin(), middle);
    run->batches.emplace_back(middle, batch.end());
    co_return;
  }
  if (status != 200) {
    run->fail(Reason::records_failed);
    co_return;
  }
  body = decoded_body(response->head.fields, std::move(*body), all_.limits.collection.value);
  if (!body) {
    run->fail(Reason::records_failed);
    co_return;
  }
  Representation representation(response->head.fields);
  take(*run, batch, std::move(*body), std::move(representation), born);
}

void RecordClient::take(Run& run, const std::vector<std::size_t>& batch, std::string body,
                        Representation representation, cache::SystemTime born) {
  Reason fault = Reason::none;
  const auto rendered = RenderedRecords::read(std::move(body), shape_, *run.manifest, born, fault);
  if (!rendered) return run.fail(fault);
  RecordFill& fill = run.fill;
  if (!run.answered) {
    run.answered = true;
    fill.representation = representation;
  } else if (fill.representation.content_type != representation.content_type) {
    return run.fail(Reason::records_failed);
  }
  if (representation.revision.empty() || representation.revision != fill.representation.revision)
    fill.one_revision = false;
  fill.representation.vary_on_everything |= representation.vary_on_everything;
  for (const std::string& name : representation.vary) {
    auto& names = fill.representation.vary;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  // Never by position: what was not asked for is left alone, what comes twice must be the same bytes.
  std::unordered_map<std::size_t, std::pair<std::size_t, bool>> seen;  // position -> (record, ambiguous)
  for (std::size_t record = 0; record < rendered->fragments().size(); ++record) {
    const std::size_t position = rendered->position(record);
    if (position == RenderedRecords::kUnlisted) continue;
    const auto [at, fresh] = seen.try_emplace(position, record, false);
    if (!fresh && rendered->fragments()[at->second.first]->view().content !=
                      rendered->fragments()[record]->view().content) {
      at->second.second = true;
    }
  }
  for (const std::size_t position : batch) {
    const auto at = seen.find(position);
    if (at == seen.end() || at->second.second) {
      fill.left_out.push_back(position);
    } else if (rendered->version_differs(at->second.first, *run.manifest)) {
      fill.version_differs.push_back(position);
    } else {
      fill.found.emplace_back(position, rendered->fragments()[at->second.first]);
    }
  }
}

}  // namespace tessera::proxy
