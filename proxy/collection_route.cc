#include "proxy/collection_route.h"

#include <random>

#include <spdlog/spdlog.h>

#include "http/retry_after.h"
#include "proxy/collection_route_detail.h"
#include "proxy/forwarding.h"

namespace tessera::proxy {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of the things that are said once: bounded, for details may come from the origin.
constexpr std::size_t kLogged = 256;

bool asks_for_manifest(const http::Request& request) {
  return request.head.fields.joined("accept").find(kManifestMediaType) != std::string::npos;
}

}  // namespace

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
  const Reason closed = parts_->health.closed(exchange->collection->caller_digest, SteadyClock::now());
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
  if (judges && response.head.status < 500)
    parts_->health.failed(exchange->collection->caller_digest, SteadyClock::now());
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
