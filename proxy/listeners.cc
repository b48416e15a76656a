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

void take(http::NamedSockets& given, const config::Settings& settings, bool whatever_address,
          ListeningSockets& sockets) {
  const http::Address clients = parsed(settings.listen.address);
  const http::Address admin = parsed(settings.admin.address);
  for (http::NamedSocket& each : given) {
    const bool is_admin = each.name == "admin";
    const http::Address address = each.socket.local_address();
    if (!whatever_address && !is_wanted(address, is_admin ? admin : clients)) {
      spdlog::info("the socket at {} is not taken over: the settings name another address",
                   http::to_string(address));
      continue;
    }
    (is_admin ? sockets.admin : sockets.clients).push_back(std::move(each.socket));
  }
}

void open_missing(const config::Settings& settings, std::size_t loops, ListeningSockets& sockets) {
  auto& clients = sockets.clients;
  if (clients.empty()) {
    http::Address address = parsed(settings.listen.address);
    for (std::size_t i = 0; i < loops; ++i) {
      clients.emplace_back(address);
      address = clients.front().local_address();  // the port that 0 became is every loop's
    }
  }
  const std::size_t given = clients.size();
  for (std::size_t i = given; i < loops; ++i) clients.push_back(clients[i % given].duplicate());
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
