// A certificate authority of a test's own. Nothing of it outlives the test.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tests/support/temporary.h"

namespace tessera::test {

// What fails throws std::runtime_error.
class Authority {
 public:
  explicit Authority(const std::string& name = "Test Authority");
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  // The authority's own certificate, as a file.
  std::string certificate() const { return directory_.file("authority.pem"); }

  struct Wish {
    std::string names = "DNS:localhost,IP:127.0.0.1";  // subjectAltName
    int from_days = -1;                                // valid from so many days from now ...
    int to_days = 2;                                   // ... to so many
  };
  // A file in PEM form that holds a certificate with the authority's own behind it, and its key. An earlier
  // one of the same name is replaced at once, as by rename().
  std::string issue(std::string_view file_name, const Wish& wish) const;
  std::string issue(std::string_view file_name) const { return issue(file_name, Wish()); }

  const TemporaryDirectory& directory() const { return directory_; }

 private:
  struct Impl;
  TemporaryDirectory directory_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::test
