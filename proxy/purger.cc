#include "proxy/purger.h"

#include <chrono>

#include <spdlog/spdlog.h>

#include "cache/manifest.h"

namespace tessera::proxy {
namespace {

constexpr std::chrono::seconds kRemoteTime{30};

http::Deadline remote_deadline() { return std::chrono::steady_clock::now() + kRemoteTime; }

}  // namespace

Purger::Purger(const config::Settings& settings, cache::MemoryCache& memory, cache::Generations& generations,
               cache::RemoteStore* remote)
    : settings_(settings), memory_(memory), generations_(generations), remote_(remote) {}

std::optional<std::uint32_t> Purger::number_of(std::string_view route) const {
  for (std::size_t i = 0; i < settings_.routes.size(); ++i) {
    if (settings_.routes[i].name == route) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

// Fragments of that id in every key space, and the snapshots that may hold it.
std::uint64_t Purger::erase_record(std::uint32_t route, const std::string& id) {
  return memory_.erase_if([&](const cache::MemoryKey& key, std::uint32_t of) {
    if (of != route) return false;
    if (key.kind == cache::Kind::snapshot) return true;
    return key.kind == cache::Kind::fragment && std::string_view(key.rest).substr(1) == id;
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
      purged.memory = erase_record(*number, *id);
    } else {
      generations_.purge_route(*number);
      purged.memory = memory_.erase_if([&](const cache::MemoryKey&, std::uint32_t of) { return of == *number; });
    }
  } else {
    co_return purged;
  }
  const std::optional<std::uint32_t> number = route ? number_of(*route) : std::nullopt;
  co_await purge_remote(route.value_or(""), number, id, purged);
  co_return purged;
}

// When L2 cannot be asked, what it held before this moment is taken from it no more.
http::Task<void> Purger::purge_remote(std::string route, std::optional<std::uint32_t> number,
                                      std::optional<std::string> id, PurgeCount& purged) {
  if (!remote_) co_return;
  const auto now = std::chrono::system_clock::now();
  purged.remote = co_await remote_->purge(std::move(route), std::move(id), remote_deadline());
  if (purged.remote) co_return;
  purged.remote_failed = true;
  generations_.distrust_before(number, now);
  spdlog::warn("a purge did not reach Redis: this sidecar ignores what Redis held; purge again for the others");
}

http::Task<boost::system::result<PurgeCount, std::string>> Purger::invalidate(std::string route, std::string document) {
  const auto number = number_of(route);
  if (!number) co_return std::string("no such route");
  const config::RouteSettings& settings = settings_.routes[*number];
  const cache::ManifestShape shape{json::Pointer::parse(settings.manifest_array).value(),
                                   json::Pointer::parse(settings.manifest_id).value(),
                                   json::Pointer::parse(settings.manifest_version).value()};
  const auto manifest = cache::Manifest::parse(std::move(document), shape);
  if (!manifest) co_return "the body is no manifest of this route: " + manifest.error().message();
  PurgeCount all;
  for (const cache::ManifestEntry& entry : (*manifest)->entries()) {
    std::string id(entry.id);
    const PurgeCount one = co_await purge(route, std::move(id));
    all.memory += one.memory;
    if (one.remote) all.remote = all.remote.value_or(0) + *one.remote;
    all.remote_failed |= one.remote_failed;
  }
  co_return all;
}

}  // namespace tessera::proxy
