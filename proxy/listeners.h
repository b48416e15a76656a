// Which sockets a process accepts on: opened by itself, or taken over.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "http/inherited_sockets.h"

namespace tessera::proxy {

struct ListeningSockets {
  std::vector<http::ListeningSocket> clients;  // at least one for each event loop
  std::vector<http::ListeningSocket> tls;      // likewise; empty: no tls.address
  std::vector<http::ListeningSocket> admin;    // one or more
  std::optional<http::TakenOver> from;         // who is to be told once they are accepted on
};

// From systemd if it has passed some, else from the process at listen.handover if there is one, else opened.
// Taken over are all that belong to the address of the settings, whatever their number: a socket that nobody
// holds any more takes the connections in its queue with it. Where there are more event loops than sockets,
// several accept on one. Throws std::runtime_error with a sentence.
ListeningSockets open_listeners(const config::Settings& settings, std::size_t loops);

}  // namespace tessera::proxy
