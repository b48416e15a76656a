// The access log: one line for each response that has been sent.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/settings.h"
#include "http/message.h"
#include "proxy/access_record.h"
#include "proxy/log_sink.h"

namespace tessera::proxy {

// Immutable, thread-safe.
class AccessLog {
 public:
  // `sink` may be null when the format is "off".
  AccessLog(const config::AccessLogSettings& settings, std::shared_ptr<LogSink> sink);

  bool is_on() const { return sink_ != nullptr; }
  // Has the response write its line once it has been sent. `random` decides whether it is in the sample; the
  // request and `route` outlive the response.
  void attach(http::Response& response, const http::Request& request, std::string_view route,
              std::uint64_t random) const;
  // Writes the line of an answer that no route gave: a request that was refused before it could be read.
  void refused(const std::string& peer, int status) const;

 private:
  struct Ticket;
  void write(const Ticket& ticket, const http::Sent& sent) const;
  void add(const AccessRecord& record) const;

  const std::shared_ptr<LogSink> sink_;
  const bool json_;
  const bool query_;
  const double sample_;
};

}  // namespace tessera::proxy
