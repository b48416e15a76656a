// A name that is being resolved blocks a thread of Asio's that cannot be interrupted. So resolving is a
// coroutine of its own, which those who connect wait for as long as their deadline allows.
#include "http/connector.h"

#include <algorithm>
#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection_impl.h"
#include "http/signal.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr auto kRetryResolving = std::chrono::seconds(1);
constexpr auto kStagger = std::chrono::milliseconds(250);  // RFC 8305 5: between two attempts

struct Target {
  asio::generic::stream_protocol::endpoint endpoint;
  std::string address;
  bool is_v6 = false;
};

Target target_of(const asio::ip::address& address, unsigned short port) {
  return {tcp::endpoint(address, port), address.to_string(), address.is_v6()};
}

// The families in turn, that of the first address first (RFC 8305 4).
std::vector<Target> targets_of(const std::vector<std::string>& addresses, unsigned short port) {
  std::vector<Target> first;
  std::vector<Target> second;
  for (const auto& text : addresses) {
    error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (error) continue;
    auto target = target_of(address, port);
    auto& family = first.empty() || first.front().is_v6 == target.is_v6 ? first : second;
    family.push_back(std::move(target));
  }
  std::vector<Target> targets;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) targets.push_back(std::move(first[i]));
    if (i < second.size()) targets.push_back(std::move(second[i]));
  }
  return targets;
}

bool same_addresses(const std::vector<Target>& a, const std::vector<Target>& b) {
  const auto among = [](const std::vector<Target>& all, const Target& one) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Target& each) { return each.address == one.address; });
  };
  return a.size() == b.size() &&
         std::all_of(a.begin(), a.end(), [&](const Target& each) { return among(b, each); });
}

Task<Result<std::vector<std::string>>> resolve_by_system(std::string name) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  error_code error;
  const auto found =
      co_await resolver.async_resolve(name, "", asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return Error::resolve_failed;
  std::vector<std::string> addresses;
  for (const auto& entry : found) addresses.push_back(entry.endpoint().address().to_string());
  co_return addresses;
}

// Attempts at several addresses, of which one is wanted. All of it is on one event loop.
struct Race {
  explicit Race(const asio::any_io_executor& executor) : news(executor) {}

  // Until another attempt has ended, or the time comes.
  Task<void> wait(Deadline until) {
    if (ended == seen) {
      news.expires_at(until);
      error_code ignored;
      co_await news.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    seen = ended;
  }

  asio::steady_timer news;
  std::optional<Connector::Opened> winner;
  error_code last = Error::connect_failed;
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::size_t seen = 0;
  bool over = false;  // nobody waits any more: what still connects is closed
};

}  // namespace

struct Connector::Impl : std::enable_shared_from_this<Connector::Impl> {
  Impl(asio::any_io_executor on, Origin to, ConnectorOptions with)
      : executor(std::move(on)), origin(std::move(to)), options(std::move(with)) {
    error_code error;
    const auto literal = origin.is_unix() ? asio::ip::address() : asio::ip::make_address(origin.host, error);
    if (origin.is_unix()) {
      known.push_back({asio::local::stream_protocol::endpoint(origin.host), origin.host});
    } else if (!error) {
      known.push_back(target_of(literal, origin.port));
    } else {
      is_name = true;
    }
    if (!options.resolver) options.resolver = resolve_by_system;
  }

  void start_resolving();
  Task<void> resolve(Signal done);
  Task<error_code> find_addresses(Deadline deadline);
  Task<Result<Opened>> open(Target target, Deadline deadline);
  Task<Result<Opened>> open_any(std::vector<Target> targets, Deadline deadline);
  Task<void> attempt(std::shared_ptr<Race> race, Target target, Deadline deadline);

  const asio::any_io_executor executor;
  const Origin origin;
  ConnectorOptions options;
  bool is_name = false;
  std::vector<Target> known;  // in the order in which to try them
  unsigned generation = 0;
  steady_clock::time_point known_until{};
  bool suspect = false;             // connecting to what is known has failed
  unsigned resolutions = 0;         // that have ended
  std::optional<Signal> resolving;  // set when it has ended
};

void Connector::Impl::start_resolving() {
  if (resolving) return;
  resolving.emplace();
  auto run = [self = shared_from_this(), done = *resolving] { return self->resolve(done); };
  asio::co_spawn(executor, std::move(run), asio::detached);
}

Task<void> Connector::Impl::resolve(Signal done) {
  const auto self = shared_from_this();
  std::vector<Target> found;
  try {
    const auto addresses = co_await options.resolver(origin.host);
    if (addresses) found = targets_of(*addresses, origin.port);
  } catch (const std::exception&) {  // as if the name had no address
    found.clear();
  }
  known_until = steady_clock::now() + options.resolve_interval;
  // A name server that is down takes nothing away.
  if (found.empty()) {
    known_until = std::min<Deadline>(known_until, steady_clock::now() + kRetryResolving);
  } else if (!same_addresses(found, known)) {
    known = std::move(found);
    ++generation;
  }
  suspect = false;
  ++resolutions;
  resolving.reset();
  done.set();
}

// Waits only when nothing is known, or nothing good.
Task<error_code> Connector::Impl::find_addresses(Deadline deadline) {
  if (is_name && (known.empty() || suspect)) {
    start_resolving();
    if (resolving) {
      const Signal done = *resolving;
      const bool in_time = co_await done.wait(deadline);
      if (!in_time) co_return Error::timeout;
    }
    if (known.empty()) co_return Error::resolve_failed;
  }
  co_return error_code();
}

Task<Result<Connector::Opened>> Connector::Impl::open(Target target, Deadline deadline) {
  auto impl = std::make_shared<Connection::Impl>(StreamSocket(executor));
  impl->guard(deadline);
  error_code error;
  co_await impl->socket.async_connect(target.endpoint, asio::redirect_error(asio::use_awaitable, error));
  error = impl->unguard(error);
  if (error == Error::closed) error = Error::connect_failed;
  if (error) co_return error;
  if (!origin.is_unix()) impl->socket.set_option(tcp::no_delay(true), error);
  co_return Opened{std::make_unique<Connection>(std::move(impl)), std::move(target.address)};
}

Task<void> Connector::Impl::attempt(std::shared_ptr<Race> race, Target target, Deadline deadline) {
  const auto self = shared_from_this();
  auto opened = co_await open(std::move(target), deadline);
  ++race->ended;
  if (!opened) {
    race->last = opened.error();
  } else if (!race->winner && !race->over) {
    race->winner = std::move(*opened);
  }
  race->news.cancel();
}

Task<Result<Connector::Opened>> Connector::Impl::open_any(std::vector<Target> targets, Deadline deadline) {
  if (targets.size() == 1) {
    auto opened = co_await open(std::move(targets.front()), deadline);
    co_return std::move(opened);
  }
  const auto race = std::make_shared<Race>(executor);
  struct End {
    Race& race;
    ~End() { race.over = true; }
  };
  const End end{*race};
  const auto start = steady_clock::now();
  steady_clock::duration stagger = kStagger;
  // The last one, too, must be given time.
  if (deadline != kNoDeadline)
    stagger = std::min(stagger, (deadline - start) / static_cast<int>(targets.size()));
  for (auto& target : targets) {
    ++race->begun;
    auto run = [self = shared_from_this(), race, to = std::move(target), deadline] {
      return self->attempt(race, to, deadline);
    };
    asio::co_spawn(executor, std::move(run), asio::detached);
    co_await race->wait(steady_clock::now() + stagger);
    if (race->winner) break;
  }
  while (!race->winner && race->ended < race->begun) co_await race->wait(kNoDeadline);
  if (!race->winner) co_return race->last;
  co_return std::move(*race->winner);
}

Connector::Connector(asio::any_io_executor executor, Origin origin, ConnectorOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(origin), std::move(options))) {}

Connector::~Connector() = default;

void Connector::refresh(steady_clock::time_point now) {
  if (impl_->is_name && !impl_->known.empty() && impl_->known_until <= now) impl_->start_resolving();
}

unsigned Connector::generation() const {
  return impl_->generation;
}

bool Connector::is_current(std::string_view address) const {
  return std::any_of(impl_->known.begin(), impl_->known.end(),
                     [&](const Target& target) { return target.address == address; });
}

Task<Result<Connector::Opened>> Connector::connect(Deadline deadline) {
  const auto impl = impl_;
  const auto resolutions = impl->resolutions;
  const error_code unknown = co_await impl->find_addresses(deadline);
  if (unknown) co_return unknown;
  auto opened = co_await impl->open_any(impl->known, deadline);
  if (opened || opened.error() == Error::cancelled || !impl->is_name) co_return std::move(opened);
  impl->suspect = true;
  // The name may have moved on since it was resolved, unless that was just now.
  const auto generation = impl->generation;
  const bool is_fresh = impl->resolutions != resolutions;
  if (is_fresh || steady_clock::now() >= deadline) co_return std::move(opened);
  const error_code still_unknown = co_await impl->find_addresses(deadline);
  if (still_unknown || impl->generation == generation) co_return std::move(opened);
  auto again = co_await impl->open_any(impl->known, deadline);
  impl->suspect = !again;
  co_return std::move(again);
}

}  // namespace tessera::http
