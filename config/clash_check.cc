#include <algorithm>

#include "config/address.h"
#include "config/checks.h"
#include "config/describe.h"
#include "config/validation.h"
#include "config/value_text.h"

namespace tessera::config {
namespace {

// What stands between scheme and path of an origin's URL; "" when it is none.
std::string_view authority_of(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  url.remove_prefix(begin + 3);
  if (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

bool is_mask(const Field& field, const std::string& value) {
  if (field.secret == Secret::whole) return value == kMask;
  if (field.secret == Secret::no) return false;
  const auto url = find_password(value);
  return url && url->password == kMask;
}

template <class T>
bool is_mask(const Field&, const T&) {
  return false;
}

class ClashChecker {
 public:
  ClashChecker(const Settings& settings, const SourceMap& sources) : settings_(settings), sources_(sources) {}

  Faults run() {
    check_masks();
    check_listeners();
    check_origins();
    check_tls();
    check_trust();
    check_origin_tls();
    check_redis();
    for (std::size_t i = 0; i < settings_.routes.size(); ++i) {
      check_neighbours(i);
      check_targets(i);
      check_json_api(i);
    }
    return std::move(faults_);
  }

 private:
  void add(std::string_view section, std::string_view name, std::string text) {
    faults_.push_back({sources_.where(setting_path(section, name)), std::move(text)});
  }

  // The output of --check, loaded as a file, would be a proxy with a token that everybody knows.
  void check_masks() {
    for_each_setting(settings_, [&](std::string_view section, const Field& field, const auto& value) {
      if (!is_mask(field, value)) return;
      add(section, field.name,
          setting_path(section, field.name) +
              " is what --check prints in place of a secret; write the secret itself");
    });
  }

  void check_listeners() {
    const auto listen = parse_host_port(settings_.listen.address);
    const auto admin = parse_host_port(settings_.admin.address);
    if (admin && !is_loopback(admin->host) && settings_.admin.token.empty() &&
        !sources_.is_spoilt(setting_path("admin", "token"))) {
      add("admin", "address",
          "admin.address = " + to_toml_value(settings_.admin.address) +
              " is open to others, and there is no admin.token; set a token, or listen on 127.0.0.1");
    }
    if (listen && listen == admin && listen->port != 0) {
      add("admin", "address",
          "admin.address = " + to_toml_value(settings_.admin.address) +
              " is also listen.address; choose another port");
    }
    for (const auto& url : settings_.origin.url) {
      const auto authority = authority_of(url);
      const auto origin = parse_host_port(authority);
      const auto is_own = [&](const auto& own) { return own && own->port != 0 && own == origin; };
      if (!is_own(listen) && !is_own(parse_host_port(settings_.tls.address))) continue;
      add("origin", "url",
          "origin.url = " + to_toml_value(url) +
              " is an address of the proxy's own; name the service that it stands in front of");
    }
  }

  void check_origins() {
    constexpr std::size_t kMost = 64;
    const auto& urls = settings_.origin.url;
    if (urls.size() > kMost) add("origin", "url", "origin.url names more than 64 origins; leave some out");
    for (auto at = urls.begin(); at != urls.end(); ++at) {
      if (std::find(urls.begin(), at, *at) == at) continue;
      add("origin", "url", "origin.url names " + to_toml_value(*at) + " twice; leave one out");
    }
  }

  // Whoever may send a PROXY header says who the client is: he could call himself a trusted proxy.
  void check_trust() {
    const auto& listen = settings_.listen;
    const bool takes_headers =
        listen.proxy_protocol == "required" || settings_.tls.proxy_protocol == "required";
    if (!takes_headers || listen.trusted_proxies.empty() || !listen.proxy_protocol_from.empty()) return;
    add("listen", "proxy_protocol_from",
        "listen.trusted_proxies believes peers that a PROXY header names, and anybody may send one; list the "
        "balancers in listen.proxy_protocol_from");
  }

  void check_tls() {
    const auto& tls = settings_.tls;
    if (tls.address.empty()) return;
    const auto address = parse_host_port(tls.address);
    const bool is_taken = address == parse_host_port(settings_.listen.address) ||
                          address == parse_host_port(settings_.admin.address);
    if (address && address->port != 0 && is_taken) {
      add("tls", "address",
          "tls.address = " + to_toml_value(tls.address) +
              " is taken by another listener; choose another port");
    }
    if (tls.certificates.empty()) {
      add("tls", "certificates",
          "tls.certificates is empty, and there is a tls.address; name a file in PEM form, as "
          "[\"server.pem\"]");
    }
    if (!tls.keys.empty() && tls.keys.size() != tls.certificates.size()) {
      add("tls", "keys",
          "tls.keys = " + to_toml_value(tls.keys) +
              " must have one key for each of tls.certificates, in their order");
    }
    if (tls.client_auth != "none" && tls.client_ca.empty()) {
      add("tls", "client_auth",
          "tls.client_auth = " + to_toml_value(tls.client_auth) +
              " needs tls.client_ca, the authorities that vouch for clients");
    }
  }

  void check_origin_tls() {
    const auto& origin = settings_.origin;
    if (origin.tls_key.empty() || !origin.tls_certificate.empty()) return;
    add("origin", "tls_key",
        "origin.tls_key = " + to_toml_value(origin.tls_key) + " has no origin.tls_certificate; name it too");
  }

  void check_redis() {
    const auto& redis = settings_.redis;
    if (redis.ca_file.empty() || redis.address.empty() || redis.address.starts_with("rediss://")) return;
    add("redis", "ca_file",
        "redis.ca_file is used with TLS only, and redis.address is no rediss:// one; change the one or leave "
        "out the other");
  }

  // Two routes with one name could not be told apart, and of two with one path the second would never be
  // reached.
  void check_neighbours(std::size_t index) {
    const auto& route = settings_.routes[index];
    for (std::size_t i = 0; i < index; ++i) {
      const auto& before = settings_.routes[i];
      const auto place = sources_.where(setting_path(route_section(i), "name"));
      if (!route.name.empty() && route.name == before.name) {
        return add(route_section(index), "name",
                   route_label(route.name, index) + " is there already (" + place +
                       "); give each route a name of its own");
      }
      if (!route.path.empty() && route.path == before.path) {
        return add(route_section(index), "path",
                   label(index) + "path = " + to_toml_value(route.path) + " is never reached, as " +
                       route_label(before.name, i) + " (" + place + ") takes it; remove one of them");
      }
    }
  }

  void check_targets(std::size_t index) {
    const auto& route = settings_.routes[index];
    if (route.path.empty() || !check_path(route.path).empty()) return;
    auto names = path_names(route.path);
    names.insert(names.end(), {"path", "query"});
    if (route.manifest != "accept") check_target(index, "manifest", route.manifest, names);
    names.emplace_back("ids");
    if (!check_target(index, "records", route.records, names)) return;
    if (route.records.empty() || count_name(route.records, "ids") == 1) return;
    add(route_section(index), "records",
        label(index) + "records = " + to_toml_value(route.records) +
            " must hold {ids} once, where the ids of the wanted records go, as \"{path}?ids={ids}\"");
  }

  bool check_target(std::size_t index, std::string_view name, const std::string& target, const Texts& names) {
    const auto complaint = target.empty() ? "" : check_template(target, names);
    if (complaint.empty()) return true;
    add(route_section(index), name,
        label(index) + std::string(name) + " = " + to_toml_value(target) + " " + complaint);
    return false;
  }

  void check_json_api(std::size_t index) {
    const auto& route = settings_.routes[index];
    if (!route.types.empty() && route.included.empty()) {
      add(route_section(index), "types",
          label(index) +
              "types names included resources, and there is no `included`; set it, as included = "
              "\"/included\"");
    }
    if (!route.included.empty() && route.array == route.included) {
      add(route_section(index), "included",
          label(index) + "included = " + to_toml_value(route.included) +
              " is also `array`; they are two members");
    }
  }

  std::string label(std::size_t index) const {
    return route_label(settings_.routes[index].name, index) + ": ";
  }

  const Settings& settings_;
  const SourceMap& sources_;
  Faults faults_;
};

}  // namespace

Faults check_clashes(const Settings& settings, const SourceMap& sources) {
  return ClashChecker(settings, sources).run();
}

}  // namespace tessera::config
