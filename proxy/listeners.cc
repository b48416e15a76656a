#include "proxy/listeners.h"

#include <stdexcept>
#include <utility>

#include <spdlog/spdlog.h>

#include "config/network.h"

namespace tessera::proxy {
namespace {

http::Address parsed(const std::string& text) {
  auto address = http::parse_address(text);
  if (!address) throw std::runtime_error("an address to listen on does not read as HOST:PORT");
  return std::move(*address);
}

// Port 0 asked for any; a name stands for whatever it stood for.
bool is_wanted(const http::Address& socket, const http::Address& wanted) {
  if (wanted.port != 0 && wanted.port != socket.port) return false;
  const auto host = config::parse_ip(wanted.host);
  return !host || host == config::parse_ip(socket.host);
}

// Where sockets of that name belong, and the address that the settings say of them.
std::pair<std::vector<http::ListeningSocket>*, const std::string*> place_of(const std::string& name,
                                                                            const config::Settings& settings,
                                                                            ListeningSockets& sockets) {
  if (name == "admin") return {&sockets.admin, &settings.admin.address};
  if (name == "tls") return {&sockets.tls, &settings.tls.address};
  return {&sockets.clients, &settings.listen.address};
}

void take(http::NamedSockets& given, const config::Settings& settings, bool whatever_address,
          ListeningSockets& sockets) {
  for (http::NamedSocket& each : given) {
    const auto [place, wanted] = place_of(each.name, settings, sockets);
    const http::Address address = each.socket.local_address();
    if (wanted->empty() || (!whatever_address && !is_wanted(address, parsed(*wanted)))) {
      spdlog::info("the socket at {} is not taken over: the settings name another address",
                   http::to_string(address));
      continue;
    }
    place->push_back(std::move(each.socket));
  }
}

void open_missing(const std::string& wanted, std::size_t loops, std::vector<http::ListeningSocket>& sockets) {
  if (sockets.empty()) {
    http::Address address = parsed(wanted);
    for (std::size_t i = 0; i < loops; ++i) {
      sockets.emplace_back(address);
      address = sockets.front().local_address();  // the port that 0 became is every loop's
    }
  }
  const std::size_t given = sockets.size();
  for (std::size_t i = given; i < loops; ++i) sockets.push_back(sockets[i % given].duplicate());
}

void open_missing(const config::Settings& settings, std::size_t loops, ListeningSockets& sockets) {
  open_missing(settings.listen.address, loops, sockets.clients);
  if (!settings.tls.address.empty()) open_missing(settings.tls.address, loops, sockets.tls);
  if (sockets.admin.empty()) sockets.admin.emplace_back(parsed(settings.admin.address));
}

}  // namespace

ListeningSockets open_listeners(const config::Settings& settings, std::size_t loops) {
  ListeningSockets sockets;
  auto given = http::sockets_from_systemd();
  if (!given.empty()) {
    take(given, settings, true, sockets);
  } else if (!settings.listen.handover.empty()) {
    sockets.from = http::TakenOver::ask(settings.listen.handover);
    if (sockets.from) take(sockets.from->sockets, settings, false, sockets);
  }
  open_missing(settings, loops, sockets);
  return sockets;
}

}  // namespace tessera::proxy
