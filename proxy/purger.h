// Purges this sidecar's tiers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cache/generations.h"
#include "cache/memory_cache.h"
#include "config/settings.h"
#include "http/task.h"
#include "proxy/admin.h"
#include "proxy/workers.h"

namespace tessera::proxy {

// Runs on one event loop, that of `remote`. References outlive the object.
class Purger {
 public:
  // `numbers`: what each route of the settings is called in memory and generations. `remote` may be null.
  Purger(const config::Settings& settings, const std::vector<std::uint32_t>& numbers,
         cache::MemoryCache& memory, cache::Generations& generations, cache::RemoteStore* remote,
         const Workers& workers);

  // Everything, a route, or one record of a route in all its representations. The generation is raised first:
  // what is in flight then is kept nowhere.
  http::Task<PurgeCount> purge(std::optional<std::string> route, std::optional<std::string> id);

  // Purges the records that a manifest document of the route lists: their owner says that they changed. Error
  // text when it is no manifest.
  http::Task<boost::system::result<PurgeCount, std::string>> invalidate(std::string route,
                                                                        std::string document);

 private:
  http::Task<void> purge_remote(std::string route, std::optional<std::uint32_t> number,
                                std::optional<std::string> id, PurgeCount& purged);
  http::Task<bool> drop_writes(const std::string& route, const std::optional<std::string>& id) const;
  std::optional<std::size_t> index_of(std::string_view route) const;
  std::optional<std::uint32_t> number_of(std::string_view route) const;
  std::uint64_t erase_records(std::uint32_t route, const std::unordered_set<std::string_view>& ids);

  const config::Settings& settings_;
  const std::vector<std::uint32_t>& numbers_;
  cache::MemoryCache& memory_;
  cache::Generations& generations_;
  cache::RemoteStore* remote_;
  const Workers& workers_;
};

}  // namespace tessera::proxy
