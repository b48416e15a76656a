#include "proxy/access_log.h"

#include <limits>
#include <utility>

#include "proxy/reason.h"
#include "proxy/statistics.h"

namespace tessera::proxy {

// What of the response the line needs and what the response no longer has when it has been sent.
struct AccessLog::Ticket {
  const http::Request* request;
  std::string_view route;
  http::Note note;
  bool sampled;
};

AccessLog::AccessLog(const config::AccessLogSettings& settings, std::shared_ptr<LogSink> sink)
    : sink_(settings.format == "off" ? nullptr : std::move(sink)),
      json_(settings.format == "json"),
      query_(settings.query),
      sample_(settings.sample) {}

void AccessLog::attach(http::Response& response, const http::Request& request, std::string_view route,
                       std::uint64_t random) const {
  const auto share =
      static_cast<double>(random) / static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  const Ticket ticket{&request, route, response.note, share < sample_ || sample_ >= 1.0};
  response.on_sent = [this, ticket, counts = std::move(response.on_sent)](const http::Sent& sent) {
    if (counts) counts(sent);
    write(ticket, sent);
  };
}

void AccessLog::write(const Ticket& ticket, const http::Sent& sent) const {
  if (!ticket.sampled && sent.status < 500 && sent.complete) return;
  const http::Request& request = *ticket.request;
  const auto reason = static_cast<Reason>(ticket.note.reason);
  AccessRecord record;
  record.time = std::chrono::system_clock::now();
  record.client = request.client();
  record.method = request.head.method;
  record.target = query_ ? std::string_view(request.head.target) : request.head.path();
  record.version = request.head.version;
  record.tls = request.tls;
  record.status = sent.status;
  record.bytes = sent.body_bytes;
  record.complete = sent.complete;
  record.duration = std::chrono::duration_cast<std::chrono::microseconds>(sent.elapsed);
  record.origin = std::chrono::duration_cast<std::chrono::microseconds>(ticket.note.origin_time);
  record.id = request.id;
  record.route = ticket.route;
  const bool has_left = sent.status == http::kClientLeft;
  record.result = to_string(has_left ? Outcome::departed : static_cast<Outcome>(ticket.note.outcome));
  record.reason = reason == Reason::none ? "" : to_string(reason);
  record.user_agent = request.head.fields.get("User-Agent").value_or("");
  record.referer = request.head.fields.get("Referer").value_or("");
  add(record);
}

void AccessLog::refused(const std::string& peer, int status) const {
  if (!sink_) return;
  AccessRecord record;
  record.time = std::chrono::system_clock::now();
  record.client = peer;
  record.status = status;
  record.result = to_string(Outcome::failed);
  record.reason = "refused";
  add(record);
}

void AccessLog::add(const AccessRecord& record) const {
  std::string line;
  line.reserve(512);
  if (json_) {
    append_json(line, record);
  } else {
    append_combined(line, record);
  }
  sink_->add(line);
}

}  // namespace tessera::proxy
