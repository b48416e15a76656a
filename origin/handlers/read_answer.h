// What all answers that only read have in common: one transaction, the validators, 304.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "json/writer.h"
#include "origin/context.h"
#include "origin/problem.h"
#include "origin/transaction.h"

namespace tessera::origin {

// What an answer shows, beside the records: decides about its entity tag.
struct ReadContent {
  std::string_view media_type;  // sent as Content-Type
  std::string schema;
};

// Writes the body; may add fields to the response. Called inside the transaction, not at all for a 304.
using WriteBody = std::function<Checked<void>(ReadTransaction&, http::Fields&, json::Writer&)>;

// The answer to a GET: 304 when the client's If-None-Match holds, else 200 with what `write_body` wrote.
// Either way with ETag, Tessera-Revision, `Cache-Control: no-cache` and `Vary: Accept`.
http::Response read_answer(const Context& context, const http::RequestHead& head, const ReadContent& content,
                           const WriteBody& write_body);

}  // namespace tessera::origin
