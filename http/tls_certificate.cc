#include "http/tls_certificate.h"

#include <algorithm>
#include <memory>

#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "http/fields.h"

namespace tessera::http {
namespace {

void add_name(std::vector<std::string>& names, const ASN1_STRING* text) {
  if (text == nullptr) return;
  const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
  const std::string_view name(bytes, static_cast<std::size_t>(ASN1_STRING_length(text)));
  if (!name.empty() && name.find('\0') == std::string_view::npos) names.push_back(lower_case(name));
}

}  // namespace

std::vector<std::string> certificate_names(x509_st& certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  if (all) {
    for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
      const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
      if (name->type == GEN_DNS) add_name(names, name->d.dNSName);
    }
    return names;
  }
  const X509_NAME* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) add_name(names, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  return names;
}

NameMatch match_name(const std::vector<std::string>& names, std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto wanted = lower_case(host);
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return NameMatch::exact;
  const auto dot = wanted.find('.');
  if (dot == 0 || dot == std::string::npos) return NameMatch::none;
  const auto pattern = "*" + wanted.substr(dot);
  return std::find(names.begin(), names.end(), pattern) != names.end() ? NameMatch::wildcard
                                                                       : NameMatch::none;
}

}  // namespace tessera::http
