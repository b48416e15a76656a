#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "http/client.h"
#include "http/head_check.h"

namespace tessera::http {
namespace {

using OriginResult = boost::system::result<Origin, std::string>;

OriginResult refuse(std::string_view url, std::string_view why) {
  std::string text = "'";
  text.append(url).append("' is not an origin: ").append(why);
  return OriginResult(boost::system::in_place_error, std::move(text));
}

}  // namespace

std::string Origin::authority() const {
  const bool bracketed = host.find(':') != std::string::npos;
  std::string text = bracketed ? "[" + host + "]" : host;
  const bool default_port = scheme == "http" && port == 80;
  return default_port ? text : text + ":" + std::to_string(port);
}

OriginResult parse_origin(std::string_view url) {
  const auto parsed = boost::urls::parse_uri({url.data(), url.size()});
  if (!parsed) return refuse(url, "it must read http://HOST[:PORT]");
  const std::string_view scheme(parsed->scheme().data(), parsed->scheme().size());
  if (equal_ignoring_case(scheme, "https")) {
    return refuse(url, "https is not supported yet; use http:// to an origin on this machine or network");
  }
  if (!equal_ignoring_case(scheme, "http")) return refuse(url, "the scheme must be http");
  const auto authority = parsed->encoded_authority();
  if (!is_host_value({authority.data(), authority.size()}))
    return refuse(url, "it needs a host and no user name");
  const auto path = parsed->encoded_path();
  if ((!path.empty() && path != "/") || parsed->has_query() || parsed->has_fragment()) {
    return refuse(url, "it must end after the host and port");
  }
  Origin origin;
  const auto host = parsed->encoded_host();
  origin.host.assign(host.data(), host.size());
  if (origin.host.front() == '[') origin.host = origin.host.substr(1, origin.host.size() - 2);
  if (parsed->has_port() && !parsed->port().empty())
    origin.port = *parse_port({parsed->port().data(), parsed->port().size()});
  if (origin.port == 0) return refuse(url, "port 0 cannot be connected to");
  return origin;
}

}  // namespace tessera::http
