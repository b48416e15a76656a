#include "proxy/collection_route.h"

#include <algorithm>
#include <random>

#include <spdlog/spdlog.h>

#include "http/retry_after.h"
#include "proxy/forwarding.h"
#include "proxy/preconditions.h"
#include "proxy/response_fields.h"

namespace tessera::proxy {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of the things that are said once: bounded, for details may come from the origin.
constexpr std::size_t kLogged = 256;

bool asks_for_manifest(const http::Request& request) {
  return request.head.fields.joined("accept").find(kManifestMediaType) != std::string::npos;
}

// A session that the request's own manifest answer has renewed must not be lost.
void add_cookies(const ManifestAnswer& from, http::Fields& to) {
  for (const http::Field& field : from.head.fields) {
    if (http::equal_ignoring_case(field.name, "set-cookie")) to.add(field.name, field.value);
  }
}

}  // namespace

struct CollectionRoute::Exchange {
  http::Request& request;
  Worker& worker;
  CollectionRequestPtr collection;
  ManifestAnswerPtr answer;
  bool shared = false;  // its manifest or its assembly is another request's too
};

CollectionRoute::CollectionRoute(std::unique_ptr<RouteParts> parts) : parts_(std::move(parts)) {
  if (parts_->settings.manifest != "accept")
    manifest_target_ = TargetTemplate::parse(parts_->settings.manifest);
}

http::Task<http::Response> CollectionRoute::handle(http::Request& request, PathNames names, Worker& worker) {
  auto exchange = std::make_shared<Exchange>(Exchange{request, worker, nullptr, nullptr, false});
  if (request.head.method != "GET" && request.head.method != "HEAD")
    co_return co_await pass(exchange, Reason::method);
  if (!request.head.upgrade.empty()) co_return co_await pass(exchange, Reason::upgrade);
  if (request.body->length() != 0) co_return co_await pass(exchange, Reason::request_body);
  if (is_overridden(request)) co_return co_await pass(exchange, Reason::overridden);
  if (asks_for_manifest(request)) co_return co_await pass(exchange, Reason::manifest_asked);
  exchange->collection =
      std::make_shared<const CollectionRequest>(request, parts_->settings, std::move(names));
  const Reason closed = parts_->health.closed(SteadyClock::now());
  if (closed == Reason::none) co_return co_await serve(exchange);
  auto passed = co_await pass(exchange, closed);
  // That the route rests says nothing of this request: others may have brought it about.
  const bool has_failed = passed.head.status >= 500 && closed == Reason::route_rests;
  if (has_failed && parts_->settings.stale_if_error.count() > 0) {
    if (auto response = stale(*exchange)) co_return std::move(*response);
  }
  co_return passed;
}

// The manifest decides: who may see what, and which records at which versions.
http::Task<http::Response> CollectionRoute::serve(std::shared_ptr<Exchange> exchange) {
  const CollectionRequest& collection = *exchange->collection;
  const bool may_be_stale = parts_->settings.stale_if_error.count() > 0;
  if (may_be_stale && !stale_guard_.may_try(collection.caller_digest, SteadyClock::now())) {
    if (auto response = stale(*exchange)) co_return std::move(*response);
  }
  for (unsigned i = 0; i < parts_->all.limits.rounds; ++i) {
    const auto got = co_await parts_->manifests.get(exchange->collection, exchange->worker,
                                                    ManifestClient::Purpose::request, http::kNoDeadline);
    // Cancelled with the process, which no longer waits for the origin.
    if (!got.answer) co_return http::problem(503, "the proxy is stopping");
    exchange->answer = got.answer;
    exchange->shared |= got.shared;
    const ManifestAnswer& answer = *exchange->answer;
    if (may_be_stale) {
      if (answer.kind == ManifestAnswer::Kind::unavailable) {
        stale_guard_.failed(collection.caller_digest, SteadyClock::now(),
                            http::retry_after(answer.head.fields, std::chrono::system_clock::now()));
        if (auto response = stale(*exchange)) co_return std::move(*response);
      } else {
        stale_guard_.succeeded(collection.caller_digest);
      }
    }
    switch (answer.kind) {
      case ManifestAnswer::Kind::manifest:
        break;
      case ManifestAnswer::Kind::relay:
        // An origin that has never given a manifest here may refuse the media type, or miss a field that the
        // manifest request does not carry: its answer to the client's own request is the one that counts.
        if (!parts_->health.knows_manifests()) co_return co_await pass(exchange, Reason::not_a_manifest);
        co_return relay(*exchange, answer);
      case ManifestAnswer::Kind::other:
        co_return co_await pass(exchange, Reason::not_a_manifest);
      case ManifestAnswer::Kind::unavailable:
        if (answer.answered && (answer.head.status == 429 || answer.head.status == 503))
          co_return relay(*exchange, answer);
        co_return co_await pass_failed(exchange);
      case ManifestAnswer::Kind::too_large:
        co_return co_await pass(exchange, Reason::too_large);
    }
    auto response = co_await attempt(exchange);
    if (response) co_return std::move(*response);
  }
  co_return co_await pass(exchange, Reason::unstable);
}

// The manifest is at fault only when the origin answers the same request otherwise: targets that fail in any
// case are anybody's to ask for. One verdict a fetch.
http::Task<http::Response> CollectionRoute::pass_failed(std::shared_ptr<Exchange> exchange) {
  const bool judges = !exchange->shared && !exchange->answer->timed_out;
  auto response = co_await pass(exchange, Reason::manifest_failed);
  if (judges && response.head.status < 500) parts_->health.failed(SteadyClock::now());
  co_return response;
}

// Unset: the collection changed meanwhile, ask for the manifest again.
http::Task<std::optional<http::Response>> CollectionRoute::attempt(std::shared_ptr<Exchange> exchange) {
  std::string undeclared;
  const KeySpacePtr space = parts_->spaces.envelopes(*exchange->collection, *exchange->answer, &undeclared);
  if (!space) co_return co_await pass(exchange, Reason::vary_undeclared, undeclared);
  if (auto response = hit(*exchange, space)) co_return response;
  std::string detail;
  const Reason resting = parts_->health.resting(space->digest(), SteadyClock::now(), &detail);
  if (resting != Reason::none) co_return co_await pass(exchange, resting, detail);
  co_return co_await assemble(exchange, space);
}

std::optional<http::Response> CollectionRoute::hit(Exchange& exchange, const KeySpacePtr& space) {
  if (!parts_->memory.enabled()) return std::nullopt;
  const cache::Manifest& manifest = *exchange.answer->manifest;
  const cache::MemoryKey key{cache::Kind::snapshot, space->digest(), std::string(manifest.digest().view())};
  const cache::SnapshotPtr snapshot = parts_->memory.find<cache::Snapshot>(key);
  if (!snapshot) return std::nullopt;
  if (snapshot->oldest() < std::chrono::system_clock::now() - parts_->settings.fragment_max_age)
    return std::nullopt;
  snapshot->mark()->touch();
  CacheStatus status;
  status.collapsed = exchange.shared;
  status.has_counts = true;
  status.from_snapshot = manifest.entries().size();
  verify_now_and_then(exchange, snapshot);
  return answer(exchange, *exchange.answer, snapshot, status, true);
}

std::shared_ptr<AssemblyFlight> CollectionRoute::join_flight(Exchange& exchange, const KeySpacePtr& space,
                                                             bool* leads) {
  const ManifestAnswer& answer = *exchange.answer;
  // What no version vouches for must be fetched after this request arrived: nobody else's assembly will do.
  const bool alone = answer.manifest->has_missing_version() || answer.racy(parts_->settings.settle);
  std::string key(space->digest().view());
  key += answer.manifest->digest().view();
  const auto token = parts_->generations.take(parts_->route);
  key += std::to_string(token.route_generation) + '.' + std::to_string(token.record_generation);
  auto flight = std::make_shared<AssemblyFlight>();
  if (!alone) {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = flights_.try_emplace(key, flight);
    *leads = fresh;
    if (!fresh) return at->second;
  }
  *leads = true;
  const bool wants_stream = exchange.request.head.method == "GET" &&
                            !exchange.request.head.fields.has("if-none-match") &&
                            !exchange.request.head.fields.has("if-match");
  auto assembly = std::make_shared<Assembly>(*parts_, exchange.collection, exchange.answer, space,
                                             wants_stream, flight, exchange.worker);
  exchange.worker.tasks.spawn([this, assembly, flight, key, alone, space]() -> http::Task<void> {
    co_await assembly->run();
    if (!alone) {
      const std::lock_guard lock(mutex_);
      flights_.erase(key);
    }
    note_outcome(*flight, *space);
  });
  return flight;
}

http::Task<std::optional<http::Response>> CollectionRoute::assemble(std::shared_ptr<Exchange> exchange,
                                                                    KeySpacePtr space) {
  bool leads = false;
  const auto flight = join_flight(*exchange, space, &leads);
  // A client that leaves takes its stream along: the fetch must not wait for somebody to read it.
  struct Departure {
    AssemblyFlight* led;
    ~Departure() {
      if (led == nullptr) return;
      led->streams = false;
      if (led->stream) led->stream->body.reset();
    }
  };
  const Departure departure{leads ? flight.get() : nullptr};
  if (leads) {
    co_await flight->started.wait(http::kNoDeadline);
    if (flight->stream && flight->stream->body) {
      CollectionStream taken = std::move(*flight->stream);
      co_return stream(*exchange, std::move(taken));
    }
  } else {
    exchange->shared = true;
    count(parts_->statistics.coalesced_assemblies);
  }
  if (!co_await flight->done.wait(http::kNoDeadline)) co_return http::problem(503, "the proxy is stopping");
  const AssemblyOutcome& outcome = flight->outcome;
  if (outcome.failure != Reason::none) co_return co_await pass(exchange, outcome.failure, outcome.detail);
  if (!outcome.snapshot) co_return std::nullopt;
  // Another caller's assembly may have gone on to a manifest that this caller has not been shown.
  ManifestAnswerPtr manifest = exchange->answer;
  if (leads) {
    manifest = outcome.answer;
  } else if (outcome.snapshot->manifest()->digest() != manifest->manifest->digest()) {
    co_return std::nullopt;
  } else {
    // Nor may this caller share it when the assembly found out that the responses vary on a field of the
    // request.
    std::string undeclared;
    const KeySpacePtr own = parts_->spaces.envelopes(*exchange->collection, *manifest, &undeclared);
    if (!own || own->digest() != outcome.space) co_return std::nullopt;
  }
  CacheStatus status;
  status.collapsed = exchange->shared;
  status.stored = leads && outcome.stored;
  status.has_counts = true;
  status.from_snapshot = outcome.sources.snapshot;
  status.from_memory = outcome.sources.memory;
  status.from_remote = outcome.sources.remote;
  status.from_origin = outcome.sources.origin;
  const bool cached = status.from_origin == 0;
  const bool nothing_known = status.from_snapshot + status.from_memory + status.from_remote == 0;
  if (!cached) {
    status.forward = nothing_known ? CacheStatus::Forward::uri_miss : CacheStatus::Forward::stale;
    status.forward_status = 200;
  }
  co_return answer(*exchange, *manifest, outcome.snapshot, status, cached);
}

// A collection that cannot be kept is not asked for twice on every request; and when it went to a client as a
// stream, its failure has been seen by nobody yet.
void CollectionRoute::note_outcome(const AssemblyFlight& flight, const cache::KeySpace& space) {
  const AssemblyOutcome& outcome = flight.outcome;
  switch (outcome.failure) {
    case Reason::not_assemblable:
    case Reason::not_a_collection:
    case Reason::envelope_undeclared:
    case Reason::vary_undeclared:
    case Reason::member_missing:
    case Reason::too_large:
    case Reason::record_missing:
    case Reason::records_failed:
    case Reason::version_mismatch:
    case Reason::collection_failed:
      parts_->health.rest(space.digest(), outcome.failure, outcome.detail, SteadyClock::now());
      break;
    default:
      break;
  }
  if (outcome.failure == Reason::none || !flight.stream) return;
  count(parts_->statistics.passed[static_cast<std::size_t>(outcome.failure)]);
  log_once(outcome.failure, outcome.detail);
}

http::Task<http::Response> CollectionRoute::pass(std::shared_ptr<Exchange> exchange, Reason reason,
                                                 std::string detail) {
  log_once(reason, detail);
  CacheStatus status;
  status.forward = reason == Reason::method ? CacheStatus::Forward::method : CacheStatus::Forward::bypass;
  status.reason = reason;
  status.collapsed = false;
  PassOptions options;
  options.response_timeout = parts_->all.origin.response_timeout;
  options.progress_timeout = parts_->all.origin.progress_timeout;
  options.body_bytes = parts_->settings.body.value;
  options.cache_status = parts_->all.stats.cache_status;
  co_return co_await proxy::pass(exchange->request, exchange->worker.origin, options, status,
                                 parts_->statistics);
}

// What an operator has to mend in the configuration or at the origin is said once, not once a request.
void CollectionRoute::log_once(Reason reason, const std::string& detail) {
  if (reason == Reason::method || reason == Reason::upgrade || reason == Reason::manifest_asked ||
      reason == Reason::switched_off || reason == Reason::route_rests || reason == Reason::overridden)
    return;
  {
    const std::lock_guard lock(mutex_);
    if (logged_.size() >= kLogged || !logged_.emplace(std::string(to_string(reason)) + detail, true).second)
      return;
  }
  if (reason == Reason::vary_undeclared) {
    spdlog::warn(
        "route {}: passed on (vary-undeclared): responses vary on \"{}\"; add it to the route's `vary` if it "
        "may join the key",
        parts_->settings.name, detail);
  } else if (reason == Reason::envelope_undeclared) {
    spdlog::warn(
        "route {}: passed on (envelope-undeclared): the collection has a member \"{}\"; supply it in the "
        "manifest's members, or name it "
        "in the route's `constant_members`",
        parts_->settings.name, detail);
  } else {
    spdlog::warn("route {}: passed on ({}){}{}", parts_->settings.name, to_string(reason),
                 detail.empty() ? "" : ": ", detail);
  }
}

http::Fields CollectionRoute::fields_for(const Exchange& exchange, const ManifestAnswer& manifest,
                                         const std::vector<std::string>& vary) const {
  std::string manifest_path(exchange.collection->path());
  if (manifest_target_) {
    TargetTemplate::Values values;
    values.path = exchange.collection->path();
    values.names = &exchange.collection->names;
    const std::string target = manifest_target_->expand(values);
    manifest_path = target.substr(0, target.find('?'));
  }
  http::Fields fields = client_fields(manifest.head.fields, manifest_path, exchange.collection->path());
  fields.set("Vary", merged_vary(manifest.head.fields, vary));
  return fields;
}

http::Response CollectionRoute::answer(Exchange& exchange, const ManifestAnswer& manifest,
                                       cache::SnapshotPtr snapshot, CacheStatus status, bool cached) {
  http::Response response;
  const cache::EnvelopeSet& envelopes = *snapshot->envelopes();
  response.head.fields = fields_for(exchange, manifest, envelopes.vary);
  http::Fields& fields = response.head.fields;
  fields.set("Content-Type", envelopes.content_type);
  if (!envelopes.content_language.empty()) fields.set("Content-Language", envelopes.content_language);
  fields.set("ETag", snapshot->etag());
  if (exchange.answer && exchange.answer.get() != &manifest) add_cookies(*exchange.answer, fields);
  if (status.stale_if_error) fields.set("Age", std::to_string(-status.ttl.value_or(0)));
  if (parts_->all.stats.cache_status) add_cache_status(fields, status);
  add_via(fields, 11);

  RouteStatistics& statistics = parts_->statistics;
  count(statistics.records_snapshot, status.from_snapshot);
  count(statistics.records_memory, status.from_memory);
  count(statistics.records_remote, status.from_remote);
  count(statistics.records_origin, status.from_origin);
  const Outcome outcome = status.stale_if_error ? Outcome::stale : cached ? Outcome::hit : Outcome::fill;

  const std::string_view body = snapshot->body();
  switch (evaluate(exchange.request.head.fields, snapshot->etag())) {
    case Precondition::not_modified:
      response.head.status = 304;
      fields.remove("content-type");
      response.body = http::NoBody{};
      count(statistics.not_modified);
      break;
    case Precondition::precondition_failed:
      response.head.status = 412;
      response.body = http::NoBody{0};
      break;
    case Precondition::proceed:
      response.body = http::SharedBytes{std::move(snapshot), body};
      break;
  }
  response.note.outcome = static_cast<std::uint8_t>(outcome);
  response.on_sent = [&statistics, outcome, cached](const http::Sent& sent) {
    statistics.sent(outcome, sent);
    count(statistics.bytes_cache, sent.body_bytes);
    (cached ? statistics.cached_latency : statistics.uncached_latency).record(sent.elapsed);
  };
  return response;
}

// The whole collection on its way through: its ETag is known only at its end, so it carries none.
http::Response CollectionRoute::stream(Exchange& exchange, CollectionStream stream) {
  http::Response response;
  const std::string_view path = exchange.collection->path();
  http::Fields& fields = response.head.fields;
  add_cookies(*exchange.answer, fields);  // what the collection sets comes later, and wins
  const http::Fields own = client_fields(stream.fields, path, path);
  for (const http::Field& field : own) fields.add(field.name, field.value);
  fields.set("Vary", merged_vary(exchange.answer->head.fields, stream.representation.vary));
  fields.set("Content-Type", stream.representation.content_type);
  if (!stream.representation.content_language.empty())
    fields.set("Content-Language", stream.representation.content_language);
  CacheStatus status;
  status.forward = CacheStatus::Forward::uri_miss;
  status.forward_status = 200;
  status.collapsed = exchange.shared;
  status.has_counts = true;
  status.from_origin = exchange.answer->manifest->entries().size();
  if (parts_->all.stats.cache_status) add_cache_status(fields, status);
  add_via(fields, 11);
  response.body = std::move(stream.body);
  RouteStatistics& statistics = parts_->statistics;
  count(statistics.records_origin, status.from_origin);
  response.note.outcome = static_cast<std::uint8_t>(Outcome::fill);
  response.on_sent = [&statistics](const http::Sent& sent) {
    statistics.sent(Outcome::fill, sent);
    statistics.uncached_latency.record(sent.elapsed);
  };
  return response;
}

// The origin's own answer, status, fields and body, is the client's.
http::Response CollectionRoute::relay(Exchange& exchange, const ManifestAnswer& manifest) {
  http::Response response;
  response.head = manifest.head;
  http::Fields& fields = response.head.fields;
  CacheStatus status;
  status.forward = CacheStatus::Forward::bypass;
  status.forward_status = manifest.head.status;
  status.collapsed = exchange.shared;
  if (parts_->all.stats.cache_status) add_cache_status(fields, status);
  add_via(fields, 11);
  response.body = manifest.body;
  RouteStatistics& statistics = parts_->statistics;
  response.note.outcome = static_cast<std::uint8_t>(Outcome::relayed);
  response.on_sent = [&statistics](const http::Sent& sent) {
    statistics.sent(Outcome::relayed, sent);
    statistics.uncached_latency.record(sent.elapsed);
  };
  return response;
}

// The last snapshot of the same caller, as long as it was right at most stale_if_error ago.
std::optional<http::Response> CollectionRoute::stale(Exchange& exchange) {
  const auto listing = parts_->manifests.listing(*exchange.collection);
  if (!listing) return std::nullopt;
  const ManifestAnswerPtr last = listing->answer();
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(SteadyClock::now() - last->received);
  if (age > parts_->settings.stale_if_error) return std::nullopt;
  std::string undeclared;
  const KeySpacePtr space = parts_->spaces.envelopes(*exchange.collection, *last, &undeclared);
  if (!space) return std::nullopt;
  const auto known = listing->last(space->digest());
  if (!known || !parts_->generations.nothing_purged_since(known->token)) return std::nullopt;
  const cache::SnapshotPtr snapshot = known->snapshot.lock();
  if (!snapshot || snapshot->manifest()->digest() != last->manifest->digest()) return std::nullopt;
  CacheStatus status;
  status.stale_if_error = true;
  status.ttl = -age.count();
  status.from_snapshot = snapshot->manifest()->entries().size();
  return answer(exchange, *last, snapshot, status, true);
}

void CollectionRoute::verify_now_and_then(Exchange& exchange, const cache::SnapshotPtr& snapshot) {
  if (parts_->settings.verify <= 0.0) return;
  thread_local std::minstd_rand random(std::random_device{}());
  if (std::uniform_real_distribution<double>(0.0, 1.0)(random) >= parts_->settings.verify) return;
  if (verifying_.exchange(true)) return;  // one at a time: it costs a whole rendering
  exchange.worker.tasks.spawn([this, collection = exchange.collection, manifest = exchange.answer, snapshot,
                               worker = &exchange.worker]() -> http::Task<void> {
    ManifestAnswerPtr newer;
    const Verdict verdict = co_await parts_->verifier.verify(collection, manifest, snapshot, *worker, &newer);
    if (verdict == Verdict::different) {
      parts_->health.mismatched();
      co_await parts_->drop_everything(*worker);
    }
    verifying_ = false;
  });
}

}  // namespace tessera::proxy
