#include "proxy/service.h"

#include "cache/redis/redis_store.h"

namespace tessera::proxy {
namespace {

std::unique_ptr<cache::RemoteStore> make_remote(const boost::asio::any_io_executor& executor,
                                                const config::RedisSettings& settings) {
  return settings.address.empty() ? nullptr : cache::make_redis_store(executor, settings);
}

}  // namespace

Service::Service(boost::asio::any_io_executor executor, std::size_t index,
                 std::shared_ptr<Generation> generation, const ProcessActions& actions)
    : generation_(std::move(generation)),
      origin_(executor, generation_->origins(), generation_->upstream_options(), index),
      remote_(make_remote(executor, generation_->settings().redis)),
      store_(generation_->lasting().memory, remote_.get()),
      tasks_(executor),
      worker_{index, origin_, store_, tasks_},
      purger_(generation_->settings(), generation_->route_numbers(), generation_->lasting().memory,
              generation_->lasting().generations, remote_.get(), generation_->lasting().workers),
      admin_(generation_->settings().admin, generation_->sources(), admin_actions(actions)) {
  generation_->lasting().workers.add(&worker_);
  if (remote_) generation_->add_remote(remote_.get());
}

Service::~Service() {
  if (remote_) generation_->remove_remote(remote_.get());
}

void Service::give_way() {
  origin_.end_checks();
  close_idle();
}

http::Task<void> Service::retire() {
  do {
    co_await tasks_.wait_empty(http::kNoDeadline);
  } while (!generation_->lasting().workers.remove_if_idle(&worker_));
}

http::Task<http::Response> Service::handle(http::Request& request) {
  return generation_->router().handle(request, worker_);
}

http::Task<http::Response> Service::administer(http::Request& request) {
  return admin_.handle(request);
}

AdminActions Service::admin_actions(const ProcessActions& process) {
  AdminActions actions;
  actions.purge = [this](auto route, auto id) { return purger_.purge(std::move(route), std::move(id)); };
  actions.invalidate = [this](auto route, auto manifest) {
    return purger_.invalidate(std::move(route), std::move(manifest));
  };
  actions.set_mode = [this](std::string_view route, config::RouteMode mode) {
    return generation_->router().set_mode(route, mode);
  };
  actions.modes = [this] { return generation_->router().modes(); };
  actions.ready = process.ready;
  actions.reload = process.reload;
  return actions;
}

}  // namespace tessera::proxy
