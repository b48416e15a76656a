// What all answers to writes have in common: one transaction, its revision, the body's media type.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/message.h"
#include "json/writer.h"
#include "origin/context.h"
#include "origin/problem.h"
#include "origin/transaction.h"

namespace tessera::origin {

// What a write has done.
struct Written {
  int status = 200;
  std::string location;  // of what was created; else empty
};

// Changes the database and writes the answer's body, if it has one. Whatever it refuses is rolled back.
using Write = std::function<Checked<Written>(WriteTransaction&, json::Writer&)>;

// Runs `write` and commits. The answer tells the new Tessera-Revision.
http::Response write_answer(const Context& context, const Write& write);

// Why a body cannot be read as JSON at all: 415, unless Content-Type is application/json.
std::optional<Problem> refuse_media_type(const http::RequestHead& head);

}  // namespace tessera::origin
