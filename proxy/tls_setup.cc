#include "proxy/tls_setup.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tessera::proxy {
namespace {

// Whom and what to mend, before the cause.
[[noreturn]] void fail(std::string_view section, const std::exception& error) {
  throw std::runtime_error("[" + std::string(section) + "] " + error.what());
}

http::ServerTlsOptions::ClientAuth client_auth(const std::string& word) {
  using ClientAuth = http::ServerTlsOptions::ClientAuth;
  if (word == "require") return ClientAuth::require;
  return word == "request" ? ClientAuth::request : ClientAuth::none;
}

}  // namespace

std::shared_ptr<http::ServerTls> make_server_tls(const config::TlsSettings& settings) {
  if (settings.address.empty()) return nullptr;
  http::ServerTlsOptions options;
  for (std::size_t i = 0; i < settings.certificates.size(); ++i) {
    const auto& chain = settings.certificates[i];
    options.certificates.push_back({chain, settings.keys.empty() ? chain : settings.keys.at(i)});
  }
  options.minimum_version = settings.minimum_version;
  options.client_auth = client_auth(settings.client_auth);
  options.client_ca = settings.client_ca;
  try {
    return std::make_shared<http::ServerTls>(std::move(options));
  } catch (const std::runtime_error& error) {
    fail("tls", error);
  }
}

std::shared_ptr<const http::ClientTls> make_client_tls(const config::OriginSettings& settings) {
  const auto is_secure = [](const std::string& url) { return url.starts_with("https://"); };
  if (std::none_of(settings.url.begin(), settings.url.end(), is_secure)) return nullptr;
  http::ClientTlsOptions options;
  options.ca_file = settings.tls_ca;
  options.certificate_file = settings.tls_certificate;
  options.key_file = settings.tls_key;
  options.server_name = settings.tls_server_name;
  options.verify = settings.tls_verify;
  try {
    return std::make_shared<const http::ClientTls>(std::move(options));
  } catch (const std::runtime_error& error) {
    fail("origin", error);
  }
}

}  // namespace tessera::proxy
