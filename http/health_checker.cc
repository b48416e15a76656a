#include "http/health_checker.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

ClientOptions probing(ClientOptions options) {
  options.max_idle = 0;
  return options;
}

}  // namespace

// Lives as long as its coroutine, which ends soon after the checker.
struct HealthChecker::Watch : std::enable_shared_from_this<HealthChecker::Watch> {
  Watch(const asio::any_io_executor& executor, const OriginGroup::Member& member, const UpstreamOptions& with)
      : options(with.check),
        status(member.status),
        client(executor, member.origin, probing(with.client)),
        timer(executor) {}

  Task<void> run();
  Task<bool> check();
  void note(bool good);

  const HealthCheckOptions options;
  const std::shared_ptr<OriginStatus> status;
  Client client;
  asio::steady_timer timer;
  bool ended = false;
};

Task<void> HealthChecker::Watch::run() {
  const auto self = shared_from_this();
  while (!ended) {
    const bool good = co_await check();
    if (ended) break;
    note(good);
    timer.expires_after(options.interval);
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

Task<bool> HealthChecker::Watch::check() {
  RequestHead head;
  head.target = options.path;
  head.fields.set("User-Agent", "tessera-health-check");
  const auto deadline = steady_clock::now() + options.timeout;
  const auto answer = co_await client.send(std::move(head), nullptr, deadline);
  co_return answer && answer->head.status >= 200 && answer->head.status < 400;
}

void HealthChecker::Watch::note(bool good) {
  if (!status->health().checked(good, options.healthy_after, options.unhealthy_after)) return;
  if (good) {
    spdlog::info("origin {}: healthy", status->name());
  } else {
    spdlog::warn("origin {}: unhealthy, {} checks in a row failed", status->name(), options.unhealthy_after);
  }
}

HealthChecker::HealthChecker(asio::any_io_executor executor, const OriginGroup& origins,
                             const UpstreamOptions& options) {
  for (const auto& member : origins.members) {
    auto watch = std::make_shared<Watch>(executor, member, options);
    asio::co_spawn(
        executor, [watch] { return watch->run(); }, asio::detached);
    watches_.push_back(std::move(watch));
  }
}

HealthChecker::~HealthChecker() {
  for (const auto& watch : watches_) {
    watch->ended = true;
    watch->timer.cancel();
  }
}

}  // namespace tessera::http
