#include "http/departure_watch.h"

#include <cassert>
#include <poll.h>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "http/request_body.h"

namespace tessera::http {

// Its own object, because a timer's handler may come after the watch has gone.
struct DepartureWatch::Ticker : std::enable_shared_from_this<Ticker> {
  Ticker(const boost::asio::any_io_executor& executor, DepartureWatch& owner)
      : timer(executor), watch(&owner) {}

  void arm() {
    running = true;
    timer.expires_after(kInterval);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      self->running = false;
      if (!error && self->watch != nullptr) self->watch->tick();
    });
  }

  boost::asio::steady_timer timer;
  DepartureWatch* watch;
  bool running = false;
  std::vector<pollfd> sockets;        // kept for their capacity
  std::vector<Exchange*> exchanges;   // the one of each socket
  std::vector<Cancellation> leaving;  // cancelled once the list is no longer looked at
};

DepartureWatch::Exchange::~Exchange() {
  end(*this);
}

DepartureWatch::DepartureWatch(boost::asio::any_io_executor executor, std::chrono::milliseconds limit)
    : ticker_(std::make_shared<Ticker>(executor, *this)), limit_(limit) {}

DepartureWatch::~DepartureWatch() {
  assert(first_ == nullptr);
  ticker_->watch = nullptr;
  ticker_->timer.cancel();
}

void DepartureWatch::begin(Exchange& exchange) {
  exchange.watch_ = this;
  exchange.overdue = false;
  exchange.before_ = last_;
  exchange.after_ = nullptr;
  (last_ != nullptr ? last_->after_ : first_) = &exchange;
  last_ = &exchange;
  begun_ = true;
  if (!ticker_->running) ticker_->arm();
}

void DepartureWatch::end(Exchange& exchange) {
  DepartureWatch* const watch = exchange.watch_;
  if (watch == nullptr) return;
  (exchange.before_ != nullptr ? exchange.before_->after_ : watch->first_) = exchange.after_;
  (exchange.after_ != nullptr ? exchange.after_->before_ : watch->last_) = exchange.before_;
  exchange.watch_ = nullptr;
}

void DepartureWatch::tick() {
  // A busy loop's ticker runs on between two exchanges; a quiet one's stops.
  if (first_ != nullptr || begun_) ticker_->arm();
  begun_ = false;
  const auto now = std::chrono::steady_clock::now();
  auto& sockets = ticker_->sockets;
  auto& exchanges = ticker_->exchanges;
  auto& leaving = ticker_->leaving;
  sockets.clear();
  exchanges.clear();
  for (Exchange* at = first_; at != nullptr && now - at->began >= kInterval; at = at->after_) {
    if (!at->overdue && limit_.count() != 0 && now - at->began >= limit_) {
      at->overdue = true;
      leaving.push_back(at->cancellation);
      continue;
    }
    const bool all_read = at->body == nullptr || at->body->complete();
    sockets.push_back({at->socket, static_cast<short>(all_read ? POLLRDHUP : 0), 0});
    exchanges.push_back(at);
  }
  if (!sockets.empty() && ::poll(sockets.data(), sockets.size(), 0) > 0) {
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if ((sockets[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        exchanges[i]->departed = true;
        leaving.push_back(exchanges[i]->cancellation);
      }
    }
  }
  for (const Cancellation& one : leaving) one.request();
  leaving.clear();
}

}  // namespace tessera::http
