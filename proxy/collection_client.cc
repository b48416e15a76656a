#include "proxy/collection_client.h"

#include <vector>

#include "proxy/decoded_body.h"

namespace tessera::proxy {
namespace {

constexpr std::size_t kReadSize = 256 * 1024;

// Receives the body to its end, or - with `while_whole` - until it is too large to be kept. False when it was
// cut short, or nobody reads what is not kept.
http::Task<bool> receive(http::BodySource& from, GrowingBody& to, std::chrono::milliseconds progress_timeout,
                         bool while_whole) {
  std::vector<char> buffer(kReadSize);
  for (;;) {
    if (while_whole && !to.is_whole()) co_return true;
    // A reader may take its time: its connection has its own deadline for that.
    if (!co_await to.wait_for_room(http::kNoDeadline)) co_return false;
    const auto deadline = std::chrono::steady_clock::now() + progress_timeout;
    const auto size = co_await from.read_some(std::span<char>(buffer), deadline);
    if (!size) co_return false;
    if (*size == 0) co_return true;
    to.append(std::string_view(buffer.data(), *size));
  }
}

}  // namespace

http::Task<WholeCollection> CollectionClient::fetch(CollectionRequestPtr request, Worker& worker,
                                                    OnStream on_stream) {
  WholeCollection whole;
  whole.failure = Reason::collection_failed;
  http::RequestHead head = request->carried;
  head.target = request->target;
  if (!request->accept.empty()) head.fields.set("Accept", request->accept);
  whole.born = std::chrono::system_clock::now();
  const auto deadline = std::chrono::steady_clock::now() + all_.origin.response_timeout;
  auto sent = co_await worker.origin.send(std::move(head), nullptr, deadline);
  if (!sent || sent->head.status != 200) co_return whole;
  const auto response = std::make_shared<http::ClientResponse>(std::move(*sent));
  whole.representation = Representation(response->head.fields);
  const bool coded = response->head.fields.has("content-encoding");

  auto body = std::make_shared<GrowingBody>(all_.limits.collection.value);
  const auto length = response->body->length();
  if (length) body->reserve(*length);
  if (on_stream && !coded) {
    on_stream({response->head.fields, whole.representation, GrowingBody::read(body, length)});
  }
  const auto progress = all_.origin.progress_timeout;
  const bool complete = co_await receive(*response->body, *body, progress, true);
  if (!body->is_whole()) {
    // Whoever else waits does not wait for the pace of the one client that still reads.
    worker.tasks.spawn([response, body, progress]() -> http::Task<void> {
      body->finish(co_await receive(*response->body, *body, progress, false));
    });
    whole.failure = Reason::too_large;
    co_return whole;
  }
  body->finish(complete);
  count(statistics_.bytes_origin, body->bytes().size());
  if (!complete) co_return whole;
  auto plain = decoded_body(response->head.fields, body->take_document(), all_.limits.collection.value);
  if (!plain) co_return whole;
  whole.document = std::move(*plain);
  whole.failure = Reason::none;
  co_return whole;
}

}  // namespace tessera::proxy
