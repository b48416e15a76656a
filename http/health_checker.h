// Asks each origin of a group now and then whether it is well.
#pragma once

#include <memory>
#include <vector>

#include "http/upstream.h"

namespace tessera::http {

// Runs on one event loop, on connections of its own, a fresh one for each check. The group's health is what
// comes of it.
class HealthChecker {
 public:
  // REQUIRED: options.path is not empty.
  HealthChecker(boost::asio::any_io_executor executor, const OriginGroup& origins,
                const UpstreamOptions& options);
  ~HealthChecker();  // a check that is out ends unheard

 private:
  struct Watch;
  std::vector<std::shared_ptr<Watch>> watches_;
};

}  // namespace tessera::http
