// What the handlers of one event loop work with.
#pragma once

#include <chrono>

#include "json/escape.h"
#include "origin/database.h"
#include "origin/renderings/registry.h"
#include "origin/statistics.h"

namespace tessera::origin {

// Everything outlives the handlers. The database belongs to this thread, the rest is shared.
struct Context {
  Database& database;
  const Registry& registry;
  Statistics& statistics;
  json::Escape escape = json::Escape::html;
  std::chrono::microseconds render_cost{0};  // of a course, on top of what it costs
};

}  // namespace tessera::origin
