// A request to a single origin goes straight to its client, without another coroutine about it.
#include "http/upstream.h"

#include <bitset>
#include <optional>
#include <vector>

#include <spdlog/spdlog.h>

#include "http/health_checker.h"
#include "http/retry_after.h"

namespace tessera::http {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;
using Tried = std::bitset<OriginGroup::kMost>;

// The origin has seen nothing of the request.
bool is_unsent(const error_code& error) {
  return error == Error::connect_failed || error == Error::resolve_failed || error == Error::tls_failed;
}

std::vector<Origin> only(Origin origin) {
  std::vector<Origin> one;
  one.push_back(std::move(origin));
  return one;
}

Task<Result<ClientResponse>> refuse(Error error) {
  co_return error;
}

}  // namespace

struct Upstream::Impl : std::enable_shared_from_this<Upstream::Impl> {
  Impl(const boost::asio::any_io_executor& executor, std::shared_ptr<OriginGroup> origins,
       UpstreamOptions with, std::size_t loop)
      : group(std::move(origins)), options(std::move(with)), next(loop) {
    for (std::size_t i = 0; i < group->members.size(); ++i) {
      const auto& member = group->members[i];
      // Only an origin among several is ever left out; a request to one of those keeps `this` alive.
      Client::FailureSink sink;
      if (group->members.size() > 1) sink = [this, i](unsigned failures) { note_failure(i, failures); };
      clients.push_back(std::make_unique<Client>(executor, member.origin, options.client, member.status, loop,
                                                 std::move(sink)));
    }
    if (loop == 0 && !options.check.path.empty()) checker.emplace(executor, *group, options);
  }

  OriginHealth& health(std::size_t index) const { return group->members[index].status->health(); }
  std::size_t out() const;
  std::optional<std::size_t> choose(steady_clock::time_point now, const Tried& tried);
  std::optional<std::size_t> choose(steady_clock::time_point now, const Tried& tried, bool only_up) const;
  bool another_is_up(std::size_t index, steady_clock::time_point now) const;
  void note_failure(std::size_t index, unsigned failures);
  void note_answer(std::size_t index, const ResponseHead& head);
  Task<Result<ClientResponse>> send_to_any(RequestHead head, BodySource* body, Deadline deadline,
                                           InterimSink interim);

  const std::shared_ptr<OriginGroup> group;
  const UpstreamOptions options;
  std::vector<std::unique_ptr<Client>> clients;  // as the group's members
  std::size_t next;                              // where the search for an origin begins
  std::optional<HealthChecker> checker;
};

std::size_t Upstream::Impl::out() const {
  std::size_t sum = 0;
  for (const auto& client : clients) sum += client->out();
  return sum;
}

std::optional<std::size_t> Upstream::Impl::choose(steady_clock::time_point now, const Tried& tried) {
  ++next;
  auto chosen = choose(now, tried, true);
  // All are out: rather a try than a certain failure.
  if (!chosen) chosen = choose(now, tried, false);
  return chosen;
}

// Of equals, the one that comes first from `next` on.
std::optional<std::size_t> Upstream::Impl::choose(steady_clock::time_point now, const Tried& tried,
                                                  bool only_up) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto index = (next + i) % clients.size();
    if (tried[index] || (only_up && !health(index).is_up(now))) continue;
    if (options.balance == Balance::round_robin) return index;
    if (!best || clients[index]->out() < clients[*best]->out()) best = index;
  }
  return best;
}

bool Upstream::Impl::another_is_up(std::size_t index, steady_clock::time_point now) const {
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (i != index && health(i).is_up(now)) return true;
  }
  return false;
}

// `failures` is this failure's own number: what other requests and loops count meanwhile changes nothing.
void Upstream::Impl::note_failure(std::size_t index, unsigned failures) {
  const auto now = steady_clock::now();
  auto& status = *group->members[index].status;
  if (options.eject_after == 0 || failures < options.eject_after || !another_is_up(index, now)) return;
  if (!health(index).eject(now, options.eject_time)) return;
  status.ejected();
  spdlog::warn("origin {}: left out for a while after {} failures in a row", status.name(), failures);
}

void Upstream::Impl::note_answer(std::size_t index, const ResponseHead& head) {
  if (head.status != 503) return;
  const auto length = retry_after(head.fields, std::chrono::system_clock::now());
  const auto now = steady_clock::now();
  if (length && another_is_up(index, now)) health(index).rest(now, *length);
}

Task<Result<ClientResponse>> Upstream::Impl::send_to_any(RequestHead head, BodySource* body,
                                                         Deadline deadline, InterimSink interim) {
  const auto self = shared_from_this();
  Tried tried;
  error_code last = Error::connect_failed;
  for (;;) {
    const auto chosen = choose(steady_clock::now(), tried);
    if (!chosen) co_return last;
    tried.set(*chosen);
    RequestHead copy = head;
    InterimSink sink = interim;
    auto answer = co_await clients[*chosen]->send(std::move(copy), body, deadline, std::move(sink));
    if (answer) {
      note_answer(*chosen, answer->head);
      co_return std::move(answer);
    }
    last = answer.error();
    if (!is_unsent(last)) co_return last;
  }
}

Upstream::Upstream(boost::asio::any_io_executor executor, std::shared_ptr<OriginGroup> origins,
                   UpstreamOptions options, std::size_t loop)
    : impl_(std::make_shared<Impl>(executor, std::move(origins), std::move(options), loop)) {}

Upstream::Upstream(boost::asio::any_io_executor executor, Origin origin, UpstreamOptions options)
    : Upstream(std::move(executor), std::make_shared<OriginGroup>(only(std::move(origin)), 1),
               std::move(options), 0) {}

// A request that is out keeps the rest alive, but not the checks.
Upstream::~Upstream() {
  end_checks();
}

void Upstream::end_checks() {
  impl_->checker.reset();
}

const std::shared_ptr<OriginGroup>& Upstream::origins() const {
  return impl_->group;
}

Task<Result<ClientResponse>> Upstream::send(RequestHead head, BodySource* body, Deadline deadline,
                                            InterimSink interim) {
  if (impl_->options.max_requests != 0 && impl_->out() >= impl_->options.max_requests) {
    impl_->group->overloads.fetch_add(1, std::memory_order_relaxed);
    return refuse(Error::overloaded);
  }
  if (impl_->clients.size() == 1) {
    return impl_->clients.front()->send(std::move(head), body, deadline, std::move(interim));
  }
  return impl_->send_to_any(std::move(head), body, deadline, std::move(interim));
}

std::size_t Upstream::out() const {
  return impl_->out();
}

void Upstream::close_idle() {
  for (const auto& client : impl_->clients) client->close_idle();
}

}  // namespace tessera::http
