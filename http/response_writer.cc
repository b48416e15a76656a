// A message that was cut short must not look complete: a failed source closes the connection without the
// last chunk, or before Content-Length is reached.
#include "http/response_writer.h"

#include <charconv>
#include <ctime>

namespace tessera::http {
namespace {

// How a response's body goes out, beside its head.
struct Plan {
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool until_close = false;
  std::string_view bytes;
  BodySource* source = nullptr;
};

bool has_no_body(int status) {
  return status < 200 || status == 204 || status == 304;
}

Plan plan_source(BodySource* source, const ResponseContext& context) {
  Plan plan;
  plan.content_length = source->length();
  if (context.head_request) return plan;
  plan.source = source;
  if (!plan.content_length) {
    plan.chunked = context.version >= 11;
    plan.until_close = !plan.chunked;
  }
  return plan;
}

Plan plan_response(const Response& response, const ResponseContext& context) {
  Plan plan;
  const auto* none = std::get_if<NoBody>(&response.body);
  if (has_no_body(response.head.status)) {
    // RFC 9110 8.6: never on 1xx and 204; on 304 only what a 200 would have said.
    if (none && response.head.status == 304) plan.content_length = none->length;
    return plan;
  }
  if (const auto* source = std::get_if<std::unique_ptr<BodySource>>(&response.body); source && *source) {
    return plan_source(source->get(), context);
  }
  if (const auto* text = std::get_if<std::string>(&response.body)) {
    plan.bytes = *text;
  } else if (const auto* shared = std::get_if<SharedBytes>(&response.body)) {
    plan.bytes = shared->bytes;
  } else if (none && context.head_request) {
    plan.content_length = none->length;
    return plan;
  }
  plan.content_length = plan.bytes.size();
  if (context.head_request) plan.bytes = {};
  return plan;
}

// The fields that describe this connection are the writer's.
bool is_ours(std::string_view name) {
  switch (name.size()) {
    case 10:
      return equal_ignoring_case(name, "Connection") || equal_ignoring_case(name, "Keep-Alive");
    case 14:
      return equal_ignoring_case(name, "Content-Length");
    case 17:
      return equal_ignoring_case(name, "Transfer-Encoding");
    default:
      return false;
  }
}

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

ResponseWriter::ResponseWriter(Connection& connection, const WriterOptions& options, DateCache& date)
    : connection_(connection), options_(options), date_(date) {}

void ResponseWriter::begin_head(int status) {
  head_.clear();
  head_ += "HTTP/1.1 ";
  append_number(head_, static_cast<std::uint64_t>(status));
  head_ += ' ';
  head_.append(reason_phrase(status)).append("\r\n");
}

void ResponseWriter::make_head(const ResponseHead& head, const ResponseContext& context) {
  begin_head(head.status);
  bool dated = false;
  bool named = options_.server_name.empty();
  for (const auto& line : head.fields) {
    if (is_ours(line.name)) continue;
    // A relayed or stored response keeps the Date of its origin (RFC 9110 6.6.1).
    dated = dated || equal_ignoring_case(line.name, "Date");
    named = named || equal_ignoring_case(line.name, "Server");
    append_field(head_, line.name, line.value);
  }
  if (!dated) append_field(head_, "Date", date_.text(std::time(nullptr)));
  if (!named) append_field(head_, "Server", options_.server_name);
  const bool upgrades = is_about_upgrade(head.status) && head.fields.has("Upgrade");
  if (upgrades) append_field(head_, "Connection", "Upgrade");
  if (head.status == 101) return;
  if (!context.keep_alive) {
    append_field(head_, "Connection", "close");
  } else if (context.version < 11) {
    append_field(head_, "Connection", "keep-alive");
  }
}

Task<BodySent> ResponseWriter::write(Response& response, ResponseContext& context) {
  const auto plan = plan_response(response, context);
  if (plan.until_close || response.head.fields.has_token("Connection", "close")) context.keep_alive = false;
  make_head(response.head, context);
  if (plan.content_length) {
    head_ += "Content-Length: ";
    append_number(head_, *plan.content_length);
    head_ += "\r\n";
  } else if (plan.chunked) {
    head_ += "Transfer-Encoding: chunked\r\n";
  }
  head_ += "\r\n";
  BodySent sent;
  if (plan.source == nullptr) {
    sent = co_await write_bytes(plan.bytes);
  } else {
    BodyPlan body;
    body.chunked = plan.chunked;
    body.trailers = context.takes_trailers;
    body.head_first = !plan.content_length;
    body.limits.stall = options_.write_timeout;
    body.source_pause = options_.source_timeout;
    sent = co_await send_source(connection_, head_, *plan.source, body);
  }
  if (sent.end != BodySent::End::complete) context.keep_alive = false;
  co_return sent;
}

Task<bool> ResponseWriter::write_interim(const ResponseHead& head) {
  begin_head(head.status);
  for (const auto& line : head.fields) {
    if (!is_ours(line.name)) append_field(head_, line.name, line.value);
  }
  head_ += "\r\n";
  const auto sent = co_await write_bytes(std::string_view());
  co_return sent.end == BodySent::End::complete;
}

Task<BodySent> ResponseWriter::write_bytes(std::string_view body) {
  BodySent sent;
  sent.head_sent = true;
  iovec pieces[2] = {{head_.data(), head_.size()}, {const_cast<char*>(body.data()), body.size()}};
  std::span<iovec> rest(pieces, body.empty() ? 1 : 2);
  auto result = connection_.write_now(rest);
  std::size_t bytes = result.bytes;
  if (!result.error && !rest.empty()) {
    WriteLimits limits;
    limits.stall = options_.write_timeout;
    result = co_await connection_.write(rest, limits);
    bytes += result.bytes;
  }
  sent.bytes = bytes > head_.size() ? bytes - head_.size() : 0;
  if (result.error) {
    sent.end = BodySent::End::peer_failed;
    sent.error = result.error;
  }
  co_return sent;
}

}  // namespace tessera::http
