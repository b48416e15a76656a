// The responses that a collection route makes: from a snapshot, fresh or stale; from the collection as it
// comes; and the origin's own answer to the manifest.
#include "proxy/collection_route_detail.h"
#include "proxy/forwarding.h"
#include "proxy/preconditions.h"
#include "proxy/response_fields.h"

namespace tessera::proxy {
namespace {

// A session that the request's own manifest answer has renewed must not be lost.
void add_cookies(const ManifestAnswer& from, http::Fields& to) {
  for (const http::Field& field : from.head.fields) {
    if (http::equal_ignoring_case(field.name, "set-cookie")) to.add(field.name, field.value);
  }
}

}  // namespace

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
  add_via(fields, manifest.head.version);

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
  fields.append(own);
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
  add_via(fields, exchange.answer->head.version);
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
  add_via(fields, manifest.head.version);
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
  const auto age =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - last->received);
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

}  // namespace tessera::proxy
