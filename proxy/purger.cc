#include "proxy/purger.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>

#include <spdlog/spdlog.h>

#include "cache/manifest.h"
#include "http/signal.h"

namespace tessera::proxy {
namespace {

constexpr std::chrono::seconds kRemoteTime{30};

// Each purge of an id walks through all of Redis: of more ids than this the whole route goes instead, which
// costs misses.
constexpr std::size_t kScans = 16;

http::Deadline remote_deadline() {
  return std::chrono::steady_clock::now() + kRemoteTime;
}

}  // namespace

Purger::Purger(const config::Settings& settings, const std::vector<std::uint32_t>& numbers,
               cache::MemoryCache& memory, cache::Generations& generations, cache::RemoteStore* remote,
               const Workers& workers)
    : settings_(settings),
      numbers_(numbers),
      memory_(memory),
      generations_(generations),
      remote_(remote),
      workers_(workers) {}

std::optional<std::size_t> Purger::index_of(std::string_view route) const {
  for (std::size_t i = 0; i < settings_.routes.size(); ++i) {
    if (settings_.routes[i].name == route) return i;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Purger::number_of(std::string_view route) const {
  const auto index = index_of(route);
  if (!index) return std::nullopt;
  return numbers_[*index];
}

// Fragments of those ids in every key space, and the snapshots that may hold them.
std::uint64_t Purger::erase_records(std::uint32_t route, const std::unordered_set<std::string_view>& ids) {
  return memory_.erase_if([&](const cache::MemoryKey& key, std::uint32_t of) {
    if (of != route) return false;
    if (key.kind == cache::Kind::snapshot) return true;
    return key.kind == cache::Kind::fragment && ids.contains(std::string_view(key.rest).substr(1));
  });
}

http::Task<PurgeCount> Purger::purge(std::optional<std::string> route, std::optional<std::string> id) {
  PurgeCount purged;
  if (!route) {
    generations_.purge_everything();
    purged.memory = memory_.erase_if([](const cache::MemoryKey&, std::uint32_t) { return true; });
  } else if (const auto number = number_of(*route)) {
    if (id) {
      generations_.purge_record(*number, *id);
      purged.memory = erase_records(*number, {*id});
    } else {
      generations_.purge_route(*number);
      purged.memory =
          memory_.erase_if([&](const cache::MemoryKey&, std::uint32_t of) { return of == *number; });
    }
  } else {
    co_return purged;
  }
  const std::optional<std::uint32_t> number = route ? number_of(*route) : std::nullopt;
  co_await purge_remote(route.value_or(""), number, id, purged);
  co_return purged;
}

// Every worker has writes of its own on their way. Asked on its loop, after the generation was raised: what
// it checked before then has been queued, and is dropped; what it checks later is not queued any more.
http::Task<bool> Purger::drop_writes(const std::string& route, const std::optional<std::string>& id) const {
  const http::Deadline deadline = remote_deadline();
  const auto all = std::make_shared<std::atomic<bool>>(true);
  std::vector<http::Signal> answers;
  workers_.for_each([&](Worker& worker) {
    cache::RemoteStore* const remote = worker.store.remote();
    if (!remote) return;
    const http::Signal done = answers.emplace_back();
    worker.tasks.spawn([all, done, remote, route, id, deadline]() -> http::Task<void> {
      const bool dropped = co_await remote->drop_writes(route, id, deadline);
      if (!dropped) *all = false;
      http::Signal(done).set();
    });
  });
  for (const http::Signal& done : answers) {
    const bool in_time = co_await done.wait(deadline);
    if (!in_time) co_return false;
  }
  co_return all->load();
}

// When L2 cannot be asked, what it held before this moment is taken from it no more.
http::Task<void> Purger::purge_remote(std::string route, std::optional<std::uint32_t> number,
                                      std::optional<std::string> id, PurgeCount& purged) {
  if (!remote_) co_return;
  const auto now = std::chrono::system_clock::now();
  const bool dropped = co_await drop_writes(route, id);
  if (dropped) purged.remote = co_await remote_->purge(std::move(route), std::move(id), remote_deadline());
  if (purged.remote) co_return;
  purged.remote_failed = true;
  generations_.distrust_before(number, now);
  spdlog::warn(
      "a purge did not reach Redis: this sidecar ignores what Redis held; purge again for the others");
}

http::Task<boost::system::result<PurgeCount, std::string>> Purger::invalidate(std::string route,
                                                                              std::string document) {
  const auto index = index_of(route);
  if (!index) co_return std::string("no such route");
  const auto number = numbers_[*index];
  const config::RouteSettings& settings = settings_.routes[*index];
  const cache::ManifestShape shape{json::Pointer::parse(settings.manifest_array).value(),
                                   json::Pointer::parse(settings.manifest_id).value(),
                                   json::Pointer::parse(settings.manifest_version).value()};
  const auto manifest = cache::Manifest::parse(std::move(document), shape);
  if (!manifest) co_return "the body is no manifest of this route: " + manifest.error().message();
  const auto& entries = (*manifest)->entries();
  std::unordered_set<std::string_view> ids;
  for (const cache::ManifestEntry& entry : entries) {
    generations_.purge_record(number, entry.id);
    ids.insert(entry.id);
  }
  PurgeCount all;
  all.memory = erase_records(number, ids);
  if (ids.size() > kScans) {
    co_await purge_remote(route, number, std::nullopt, all);
    co_return all;
  }
  std::uint64_t remote = 0;
  for (const std::string_view id : ids) {
    co_await purge_remote(route, number, std::string(id), all);
    remote += all.remote.value_or(0);
  }
  if (remote_ && !all.remote_failed) all.remote = remote;
  co_return all;
}

}  // namespace tessera::proxy
