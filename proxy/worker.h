// What one event loop of the proxy owns; routes are shared by all loops and get the worker of the request.
#pragma once

#include <cstddef>

#include "cache/tiered_store.h"
#include "http/task_group.h"
#include "http/upstream.h"
#include "proxy/request_id.h"

namespace tessera::proxy {

// References to objects that outlive every request; used on this worker's event loop only.
struct Worker {
  std::size_t index;
  http::Upstream& origin;
  cache::TieredStore& store;
  http::TaskGroup& tasks;  // of fetches that belong to no client
  RequestIds ids{};
};

}  // namespace tessera::proxy
