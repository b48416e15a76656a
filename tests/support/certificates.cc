#include "tests/support/certificates.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace tessera::test {
namespace {

using KeyPtr = std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* key) { EVP_PKEY_free(key); })>;
using CertificatePtr = std::unique_ptr<X509, decltype([](X509* it) { X509_free(it); })>;
using FilePtr = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

constexpr long kDay = 24 * 3600;

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

KeyPtr make_key() {
  KeyPtr key(EVP_EC_gen("prime256v1"));
  check(key != nullptr, "no key");
  return key;
}

void add_extension(X509& to, X509& issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &to, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype([](X509_EXTENSION* it) { X509_EXTENSION_free(it); })>
      extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  check(extension != nullptr, value.c_str());
  check(X509_add_ext(&to, extension.get(), -1) == 1, "no extension");
}

CertificatePtr make_certificate(EVP_PKEY& key, const std::string& name, int from_days, int to_days) {
  CertificatePtr made(X509_new());
  check(X509_set_version(made.get(), X509_VERSION_3) == 1, "no version");
  std::uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial >> 1 | 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), from_days * kDay);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), to_days * kDay);
  auto* subject = X509_get_subject_name(made.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0);
  check(X509_set_pubkey(made.get(), &key) == 1, "no key");
  return made;
}

FilePtr open_file(const std::string& path) {
  FilePtr file(std::fopen(path.c_str(), "wb"));
  if (!file) throw std::runtime_error("cannot write " + path);
  return file;
}

}  // namespace

struct Authority::Impl {
  KeyPtr key;
  CertificatePtr certificate;
};

Authority::Authority(const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->key = make_key();
  impl_->certificate = make_certificate(*impl_->key, name, -1, 10);
  X509& own = *impl_->certificate;
  X509_set_issuer_name(&own, X509_get_subject_name(&own));
  add_extension(own, own, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(own, own, NID_subject_key_identifier, "hash");
  check(X509_sign(&own, impl_->key.get(), EVP_sha256()) != 0, "no signature");
  const auto file = open_file(certificate());
  check(PEM_write_X509(file.get(), &own) == 1, "no file");
}

Authority::~Authority() = default;

std::string Authority::issue(std::string_view file_name, const Wish& wish) const {
  const auto key = make_key();
  const auto made = make_certificate(*key, std::string(file_name), wish.from_days, wish.to_days);
  X509_set_issuer_name(made.get(), X509_get_subject_name(impl_->certificate.get()));
  add_extension(*made, *impl_->certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(*made, *impl_->certificate, NID_authority_key_identifier, "keyid");
  if (!wish.names.empty()) add_extension(*made, *impl_->certificate, NID_subject_alt_name, wish.names);
  check(X509_sign(made.get(), impl_->key.get(), EVP_sha256()) != 0, "no signature");
  const auto path = directory_.file(file_name);
  {
    const auto file = open_file(path + ".new");
    check(PEM_write_X509(file.get(), made.get()) == 1, "no file");
    check(PEM_write_X509(file.get(), impl_->certificate.get()) == 1, "no file");
    check(PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1, "no file");
  }
  std::filesystem::rename(path + ".new", path);
  return path;
}

}  // namespace tessera::test
