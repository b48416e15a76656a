#include "tests/proxy/pass_rig.h"

#include <utility>

namespace tessera::test {

PassRig::PassRig(std::string_view origin, proxy::PassOptions options, proxy::CacheStatus status,
                 http::UpstreamOptions upstream)
    : options_(options),
      status_(status),
      origin_(loops_.executor(0), *http::parse_origin(origin), std::move(upstream)),
      server_(loops_.executor(0), http::Address{"127.0.0.1", 0}, {},
              [this](http::Request& request) { return handle(request); }) {
  server_.start();
  thread_ = std::thread([this] { loops_.run(); });
}

PassRig::~PassRig() {
  loops_.stop();
  thread_.join();
}

std::string PassRig::url(std::string_view target) const {
  return "http://" + http::to_string(server_.local_address()) + std::string(target);
}

const proxy::RouteStatistics& PassRig::counted(std::size_t responses) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(20), [&] { return sent_ >= responses; });
  return statistics_;
}

http::Task<http::Response> PassRig::handle(http::Request& request) {
  auto response = co_await proxy::pass(request, origin_, options_, status_, statistics_);
  response.on_sent = [this, counts = std::move(response.on_sent)](const http::Sent& sent) {
    if (counts) counts(sent);
    const std::lock_guard lock(mutex_);
    ++sent_;
    changed_.notify_all();
  };
  co_return response;
}

}  // namespace tessera::test
