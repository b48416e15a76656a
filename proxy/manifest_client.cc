// Invariants: a group is in groups_ as long as a fetch of it runs or waits to be started; group.next is the
// one fetch that newcomers join, and it has not begun; every flight's signal is set exactly once.
#include "proxy/manifest_client.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "proxy/decoded_body.h"
#include "proxy/response_fields.h"
#include "proxy/route_digest.h"

namespace tessera::proxy {
namespace {

// Content-Type without its parameters; "" when there is none.
std::string_view media_type(const http::Fields& fields) {
  const auto value = fields.get("content-type").value_or("");
  const auto name = value.substr(0, value.find(';'));
  return name.substr(0, name.find_last_not_of(" \t") + 1);
}

bool is_json(std::string_view type) {
  constexpr std::string_view kSuffix = "+json";  // RFC 6839 3.1
  return http::equal_ignoring_case(type, "application/json") ||
         (type.size() > kSuffix.size() &&
          http::equal_ignoring_case(type.substr(type.size() - kSuffix.size()), kSuffix));
}

json::Pointer pointer(const std::string& text) {
  return json::Pointer::parse(text).value();  // validated with the settings
}

}  // namespace

struct ManifestClient::Flight {
  CollectionRequestPtr request;
  Purpose purpose = Purpose::request;
  http::Signal done;
  ManifestAnswerPtr answer;               // set before `done`
  std::atomic<bool> cookie_taken{false};  // the one request that may have the Set-Cookie has it
};

struct ManifestClient::Group {
  std::string key;
  std::size_t running = 0;
  std::chrono::steady_clock::time_point newest_start{};
  std::shared_ptr<Flight> next{};
  bool overlap_armed = false;
};

ManifestClient::ManifestClient(std::uint32_t route, const config::RouteSettings& settings,
                               const config::Settings& all, cache::MemoryCache& memory,
                               const cache::Generations& generations, RouteHealth& health,
                               RouteStatistics& statistics)
    : route_(route),
      settings_(settings),
      all_(all),
      digest_(route_digest(settings)),
      by_accept_(settings.manifest == "accept"),
      shape_{pointer(settings.manifest_array), pointer(settings.manifest_id),
             pointer(settings.manifest_version)},
      memory_(memory),
      generations_(generations),
      health_(health),
      statistics_(statistics) {
  if (!by_accept_) target_ = TargetTemplate::parse(settings.manifest);
}

ManifestClient::~ManifestClient() = default;

cache::MemoryKey ManifestClient::key_of(const CollectionRequest& request) const {
  return {cache::Kind::manifest, request.caller_digest, digest_};
}

std::shared_ptr<Listing> ManifestClient::listing(const CollectionRequest& request) const {
  return std::const_pointer_cast<Listing>(memory_.find<Listing>(key_of(request)));
}

ManifestAnswerPtr ManifestClient::reusable(const CollectionRequest& request) const {
  const auto known = listing(request);
  if (!known) return nullptr;
  ManifestAnswerPtr answer = known->answer();
  if (answer->set_cookie || answer->racy(settings_.settle)) return nullptr;
  const auto fresh_for = manifest_freshness(answer->head.fields);
  if (fresh_for.count() <= 0) return nullptr;
  return std::chrono::steady_clock::now() < answer->received + fresh_for ? answer : nullptr;
}

http::Task<ManifestClient::Got> ManifestClient::get(CollectionRequestPtr request, Worker& worker,
                                                    Purpose purpose, http::Deadline deadline) {
  if (purpose == Purpose::request) {
    if (ManifestAnswerPtr answer = reusable(*request)) co_return Got{std::move(answer), false};
  }
  GroupPtr group;
  std::shared_ptr<Flight> flight;
  bool leads = false;
  bool begins = false;
  bool overlaps = false;
  {
    const std::lock_guard lock(mutex_);
    GroupPtr& known = groups_[request->caller];
    if (!known) known = std::make_shared<Group>(Group{request->caller});
    group = known;
    leads = !group->next;
    if (leads) {
      group->next = std::make_shared<Flight>();
      group->next->request = request;
      group->next->purpose = purpose;
    }
    flight = group->next;
    begins = group->running == 0;
    if (begins) {
      take_next(*group);
    } else if (!group->overlap_armed && group->running < all_.limits.manifest_parallel) {
      overlaps = group->overlap_armed = true;
    }
  }
  if (begins) start(group, flight, worker);
  if (overlaps) worker.tasks.spawn([this, group, to = &worker] { return overlap(group, to); });
  if (!co_await flight->done.wait(deadline)) co_return Got{};
  if (flight->answer->set_cookie && flight->cookie_taken.exchange(true)) {
    ManifestAnswerPtr own = co_await fetch(request, worker, purpose);
    co_return Got{std::move(own), false};
  }
  if (!leads) count(statistics_.coalesced_manifests);
  co_return Got{flight->answer, !leads};
}

std::shared_ptr<ManifestClient::Flight> ManifestClient::take_next(Group& group) {
  ++group.running;
  group.newest_start = std::chrono::steady_clock::now();
  return std::exchange(group.next, nullptr);
}

void ManifestClient::start(const GroupPtr& group, const std::shared_ptr<Flight>& flight, Worker& worker) {
  worker.tasks.spawn([this, group, flight, to = &worker] { return run(group, flight, to); });
}

// Starts the group's next fetch once the newest one has been out for long enough.
http::Task<void> ManifestClient::overlap(GroupPtr group, Worker* worker) {
  std::shared_ptr<Flight> flight;
  while (!flight) {
    co_await http::sleep_until(overlap_due(*group));
    const std::lock_guard lock(mutex_);
    group->overlap_armed = group->next && group->running < all_.limits.manifest_parallel;
    if (!group->overlap_armed) co_return;
    if (std::chrono::steady_clock::now() < group->newest_start + all_.limits.manifest_overlap) continue;
    group->overlap_armed = false;
    flight = take_next(*group);
  }
  start(group, flight, *worker);
}

std::chrono::steady_clock::time_point ManifestClient::overlap_due(const Group& group) {
  const std::lock_guard lock(mutex_);
  return group.newest_start + all_.limits.manifest_overlap;
}

http::Task<void> ManifestClient::run(GroupPtr group, std::shared_ptr<Flight> flight, Worker* worker) {
  ManifestAnswerPtr answer;
  try {
    answer = co_await fetch(flight->request, *worker, flight->purpose);
  } catch (...) {
    answer = std::make_shared<ManifestAnswer>();  // cancelled with the process: unavailable
  }
  std::shared_ptr<Flight> next;
  {
    const std::lock_guard lock(mutex_);
    --group->running;
    if (group->next) {
      next = take_next(*group);
    } else if (group->running == 0) {
      groups_.erase(group->key);
    }
  }
  flight->answer = std::move(answer);
  flight->done.set();
  if (next) start(group, next, *worker);
}

http::RequestHead ManifestClient::head_for(const CollectionRequest& request) const {
  http::RequestHead head = request.carried;
  if (by_accept_) {
    head.target = request.target;
    head.fields.set("Accept", kManifestMediaType);
  } else {
    TargetTemplate::Values values;
    values.path = request.path();
    values.query = request.query();
    values.names = &request.names;
    head.target = target_->expand(values);
    head.fields.set("Accept", std::string(kManifestMediaType) + ", application/json;q=0.9");
  }
  return head;
}

http::Task<ManifestAnswerPtr> ManifestClient::fetch(CollectionRequestPtr request, Worker& worker,
                                                    Purpose purpose) {
  const cache::Generations::Token token = generations_.take(route_);
  const std::shared_ptr<Listing> known = listing(*request);
  http::RequestHead head = head_for(*request);
  bool conditional = false;
  if (known) {
    const ManifestAnswerPtr last = known->answer();
    const auto etag = last->head.fields.get("etag");
    conditional = etag && !last->set_cookie && !last->racy(settings_.settle);
    if (conditional) head.fields.set("If-None-Match", *etag);
  }
  count(purpose == Purpose::check ? statistics_.origin_check : statistics_.origin_manifest);
  const auto deadline = std::chrono::steady_clock::now() + time_limit();
  auto response = co_await worker.origin.send(std::move(head), nullptr, deadline);
  auto answer = std::make_shared<ManifestAnswer>();
  answer->received = std::chrono::steady_clock::now();
  if (!response) {
    answer->timed_out = response.error() == http::Error::timeout;
    judge(*request, *answer);
    co_return answer;
  }
  answer->answered = true;
  if (!conditional && response->head.status == 304) co_return answer;  // confirms nothing
  co_await read_answer(*response, *answer, known);
  if (answer->not_modified) count(statistics_.origin_manifest_304);
  judge(*request, *answer);
  // Who is refused now must not be given what he was shown before, not even when the origin fails later.
  if (answer->kind == ManifestAnswer::Kind::relay) memory_.erase(key_of(*request));
  if (answer->kind == ManifestAnswer::Kind::manifest && !answer->set_cookie)
    remember(*request, answer, known, token);
  co_return answer;
}

std::chrono::milliseconds ManifestClient::time_limit() const {
  return std::min(all_.limits.manifest_timeout, all_.origin.response_timeout);
}

// One verdict a fetch, however many requests wait for it. That no connection can be had is the origin's
// failure, not the manifest's: to pass on would not help. A manifest that does not come in time is one that
// requests must not go on waiting for. Of an error the route judges, once it has seen what the origin says
// otherwise.
void ManifestClient::judge(const CollectionRequest& request, const ManifestAnswer& answer) {
  if (answer.kind == ManifestAnswer::Kind::manifest || answer.kind == ManifestAnswer::Kind::relay) {
    health_.succeeded(request.caller_digest, answer.kind == ManifestAnswer::Kind::manifest);
  } else if (answer.timed_out || (answer.answered && answer.kind != ManifestAnswer::Kind::unavailable)) {
    health_.failed(request.caller_digest, answer.received);
  }
}

http::Task<void> ManifestClient::read_answer(http::ClientResponse& response, ManifestAnswer& answer,
                                             const std::shared_ptr<Listing>& known) {
  answer.head = std::move(response.head);
  answer.revision = answer.head.fields.get("tessera-revision").value_or("");
  answer.set_cookie = answer.head.fields.has("set-cookie");
  const int status = answer.head.status;
  if (status == 304) co_return confirm(answer, *known->answer());
  auto read = co_await http::read_all(*response.body, all_.limits.manifest.value,
                                      std::chrono::steady_clock::now() + time_limit());
  if (!read) {
    const bool large = read.error() == http::make_error_code(http::Error::body_too_large);
    answer.kind = large ? ManifestAnswer::Kind::too_large : ManifestAnswer::Kind::unavailable;
    answer.answered = large;
    answer.timed_out = read.error() == http::make_error_code(http::Error::timeout);
    co_return;
  }
  count(statistics_.bytes_origin, read->size());
  if (status == 200) {
    auto plain = decoded_body(answer.head.fields, std::move(*read), all_.limits.manifest.value);
    if (!plain) co_return;
    answer.head.fields.remove("content-encoding");
    understand(std::move(*plain), answer, known);
    co_return;
  }
  answer.body = std::move(*read);
  if (status == 406 || status == 415) {
    answer.kind = ManifestAnswer::Kind::other;
  } else if (status >= 500 || status == 429) {
    answer.kind = ManifestAnswer::Kind::unavailable;
  } else if (status >= 300) {
    answer.kind = ManifestAnswer::Kind::relay;
  } else {
    answer.kind = ManifestAnswer::Kind::other;
  }
}

// RFC 9111 4.3.4: the fields of a 304 replace those of the answer that it confirms.
void ManifestClient::confirm(ManifestAnswer& answer, const ManifestAnswer& last) {
  http::Fields fields = last.head.fields;
  fields.remove_if([&](std::string_view name) { return answer.head.fields.has(name); });
  fields.append(answer.head.fields);
  answer.head.fields = std::move(fields);
  answer.head.status = 200;
  answer.kind = ManifestAnswer::Kind::manifest;
  answer.manifest = last.manifest;
  answer.newest_coarse = last.newest_coarse;
  answer.not_modified = true;
}

// In this order, for the cheapest comes first: equal bytes, only then parsed.
void ManifestClient::understand(std::string body, ManifestAnswer& answer,
                                const std::shared_ptr<Listing>& known) const {
  const auto type = media_type(answer.head.fields);
  const bool is_typed = http::equal_ignoring_case(type, kManifestMediaType);
  if (!is_typed && (by_accept_ || !is_json(type))) {
    answer.kind = ManifestAnswer::Kind::other;
    answer.body = std::move(body);
    return;
  }
  if (known) {
    const ManifestAnswerPtr last = known->answer();
    if (last->manifest->document() == body) {
      answer.kind = ManifestAnswer::Kind::manifest;
      answer.manifest = last->manifest;
      answer.newest_coarse = last->newest_coarse;
      return;
    }
  }
  auto manifest = cache::Manifest::parse(std::move(body), shape_);
  if (!manifest) {
    answer.kind = ManifestAnswer::Kind::other;
    return;
  }
  answer.kind = ManifestAnswer::Kind::manifest;
  answer.manifest = std::move(*manifest);
  for (const cache::ManifestEntry& entry : answer.manifest->entries()) {
    if (!entry.has_version) continue;
    const auto time = cache::coarse_timestamp(entry.version);
    if (time && (!answer.newest_coarse || *time > *answer.newest_coarse)) answer.newest_coarse = time;
  }
}

void ManifestClient::remember(const CollectionRequest& request, const ManifestAnswerPtr& answer,
                              const std::shared_ptr<Listing>& known,
                              const cache::Generations::Token& token) const {
  if (!memory_.enabled()) return;
  if (known && known->answer()->manifest == answer->manifest) {
    known->confirm(answer);
    return;
  }
  auto listing = std::make_shared<Listing>(answer);
  if (known) listing->inherit(*known);
  const std::size_t bytes = listing->memory_bytes();
  memory_.insert<Listing>(key_of(request), std::move(listing), bytes, route_);
  // Asked afterwards: a purge raises the generation before it erases, so one of the two sees the other.
  if (!generations_.route_is_current(token)) memory_.erase(key_of(request));
}

}  // namespace tessera::proxy
