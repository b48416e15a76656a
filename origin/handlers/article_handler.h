// Articles: documents that clients send as JSON, that the database keeps as YAML, JSON or MessagePack, and
// that answers show as JSON again.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/message.h"
#include "json/codec.h"
#include "origin/context.h"

namespace tessera::origin {

class ArticleHandler {
 public:
  explicit ArticleHandler(const Context& context) : context_(context) {}

  // GET /articles/{codec}: {"articles":[...]}, the latest first; its manifest when Accept prefers that.
  http::Response get_collection(const http::RequestHead& head, const json::Codec& codec) const;
  http::Response get_manifest(const http::RequestHead& head, const json::Codec& codec) const;

  // One as the collection holds it: {"id":"7","body":...,"created_at":"...","updated_at":"..."}.
  http::Response get(const http::RequestHead& head, const json::Codec& codec, std::int64_t id) const;  // 200
  http::Response create(const http::RequestHead& head, std::string_view body,
                        const json::Codec& codec) const;                   // 201
  http::Response remove(const json::Codec& codec, std::int64_t id) const;  // 204

 private:
  std::string schema(const json::Codec& codec) const;

  const Context& context_;
};

}  // namespace tessera::origin
