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
#include "proxy/worker.h"

namespace tessera::proxy {

// Runs on one event loop, that of the first worker. References outlive the object.
class Purger {
 public:
  Purger(const config::Settings& settings, cache::MemoryCache& memory, cache::Generations& generations,
         std::vector<Worker*> workers);

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
  std::optional<std::uint32_t> number_of(std::string_view route) const;
  std::uint64_t erase_records(std::uint32_t route, const std::unordered_set<std::string_view>& ids);

  const config::Settings& settings_;
  cache::MemoryCache& memory_;
  cache::Generations& generations_;
  std::vector<Worker*> workers_;
};

}  // namespace tessera::proxy
