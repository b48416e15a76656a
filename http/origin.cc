#include "http/origin.h"

#include <sys/un.h>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "http/head_check.h"

namespace tessera::http {
namespace {

constexpr std::string_view kUnix = "unix://";

using OriginResult = boost::system::result<Origin, std::string>;

OriginResult refuse(std::string_view url, std::string_view why) {
  std::string text = "'";
  text.append(url).append("' is not an origin: ").append(why);
  return OriginResult(boost::system::in_place_error, std::move(text));
}

// Taken as it stands: a socket's path may hold what a URL may not.
OriginResult parse_socket(std::string_view url) {
  const auto path = url.substr(kUnix.size());
  if (path.size() < 2 || path.front() != '/') return refuse(url, "it must read unix:///PATH");
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return refuse(url, "its path is too long for a socket");
  Origin origin;
  origin.scheme = "unix";
  origin.host = path;
  origin.port = 0;
  return origin;
}

}  // namespace

std::string Origin::authority() const {
  if (is_unix()) return "localhost";
  const bool bracketed = host.find(':') != std::string::npos;
  std::string text = bracketed ? "[" + host + "]" : host;
  const bool default_port = port == (scheme == "https" ? 443 : 80);
  return default_port ? text : text + ":" + std::to_string(port);
}

std::string Origin::name() const {
  return is_unix() ? "unix://" + host : authority();
}

OriginResult parse_origin(std::string_view url) {
  if (url.starts_with(kUnix)) return parse_socket(url);
  const auto parsed = boost::urls::parse_uri({url.data(), url.size()});
  if (!parsed) return refuse(url, "it must read http://HOST[:PORT] or https://HOST[:PORT]");
  const std::string_view scheme(parsed->scheme().data(), parsed->scheme().size());
  const bool secure = equal_ignoring_case(scheme, "https");
  if (!secure && !equal_ignoring_case(scheme, "http")) return refuse(url, "the scheme must be http or https");
  const auto authority = parsed->encoded_authority();
  if (!is_host_value({authority.data(), authority.size()}))
    return refuse(url, "it needs a host and no user name");
  const auto path = parsed->encoded_path();
  if ((!path.empty() && path != "/") || parsed->has_query() || parsed->has_fragment()) {
    return refuse(url, "it must end after the host and port");
  }
  Origin origin;
  origin.scheme = secure ? "https" : "http";
  origin.port = secure ? 443 : 80;
  const auto host = parsed->encoded_host();
  origin.host.assign(host.data(), host.size());
  if (origin.host.front() == '[') origin.host = origin.host.substr(1, origin.host.size() - 2);
  if (parsed->has_port() && !parsed->port().empty())
    origin.port = *parse_port({parsed->port().data(), parsed->port().size()});
  if (origin.port == 0) return refuse(url, "port 0 cannot be connected to");
  return origin;
}

}  // namespace tessera::http
