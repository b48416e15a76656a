#include "http/hop_by_hop.h"

#include <array>
#include <string>

namespace tessera::http {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "Connection", "Content-Length", "Keep-Alive",        "Proxy-Connection",
    "TE",         "Trailer",        "Transfer-Encoding", "Upgrade"};

}  // namespace

void remove_hop_by_hop(Fields& fields) {
  if (fields.has("Connection")) {
    const auto nominated = fields.joined("Connection");
    for (const auto name : list_elements(nominated)) {
      // Naming Host would change which site is asked for.
      if (!equal_ignoring_case(name, "Host")) fields.remove(name);
    }
  }
  for (const auto name : kNames) fields.remove(name);
}

void remove_hop_by_hop(ResponseHead& head) {
  const auto protocols = is_about_upgrade(head.status) ? head.fields.joined("Upgrade") : std::string();
  remove_hop_by_hop(head.fields);
  if (!protocols.empty()) head.fields.set("Upgrade", protocols);
}

}  // namespace tessera::http
