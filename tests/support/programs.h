// The real programs, started on free ports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_request.h"
#include "tests/support/process.h"
#include "tests/support/temporary.h"

namespace tessera::test {

// The paths of the programs that this build has made.
std::string origin_program();
std::string proxy_program();
std::string loadtest_program();

// A running tessera-origin.
class OriginProgram {
 public:
  // Arguments beside --listen, such as {"--courses", "40"}. Throws when it does not come up. A port of 0 is a
  // free one.
  explicit OriginProgram(std::vector<std::string> arguments = {}, unsigned short port = 0);

  std::string url(std::string_view target = "") const { return url_ + std::string(target); }
  Process& process() { return process_; }
  Reply get(std::string_view target, const FieldLines& fields = {}) const;
  // POST, PATCH and DELETE with a JSON body.
  Reply change(std::string_view method, std::string_view target, std::string_view json = "") const;
  // The counters of GET /__origin/stats by their names.
  std::map<std::string, std::uint64_t> counters() const;

 private:
  Process process_;
  std::string url_;
};

// A running tessera-proxy.
class ProxyProgram {
 public:
  // In front of `origin`, a base URL. Arguments beside --listen, --admin and --origin; `config` is the text
  // of a configuration file, "" for the built-in one.
  explicit ProxyProgram(std::string_view origin, std::vector<std::string> arguments = {},
                        std::string_view config = "", Environment environment = {});

  std::string url(std::string_view target = "") const { return url_ + std::string(target); }
  std::string admin_url(std::string_view target = "") const { return admin_url_ + std::string(target); }
  std::string tls_authority();  // "127.0.0.1:PORT"; REQUIRES: a configuration with [tls] address
  Process& process() { return process_; }
  Reply get(std::string_view target, const FieldLines& fields = {}) const;
  // Asks until the answer is a hit: right after a first one, another event loop may still be at work on it.
  // False when none comes.
  bool comes_to_hit(std::string_view target, const FieldLines& fields = {}) const;
  Reply admin(std::string_view method, std::string_view target, std::string_view body = "") const;
  // The sum of a metric of /metrics over all lines whose labels hold every one of `labels`
  // (`reason="method"`).
  double metric(std::string_view name, const std::vector<std::string>& labels = {}) const;
  // Asks for the metric until it is at least `value`; false when it does not get there.
  bool metric_reaches(double value, std::string_view name, const std::vector<std::string>& labels = {}) const;

 private:
  TemporaryDirectory directory_;  // of the configuration file; goes after the process
  Process process_;
  std::string admin_url_;
  std::string url_;
};

// The sum of a metric in a text of Prometheus' format, as above; 0 when there is none.
double sum_metric(std::string_view text, std::string_view name, const std::vector<std::string>& labels);

}  // namespace tessera::test
