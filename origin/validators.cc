#include "origin/validators.h"

#include <charconv>

#include <xxhash.h>

namespace tessera::origin {
namespace {

std::string_view name_of(json::Escape escape) {
  switch (escape) {
    case json::Escape::none:
      return "none";
    case json::Escape::js:
      return "js";
    case json::Escape::html:
      break;
  }
  return "html";
}

std::string version_text(const Rendering& rendering) {
  return std::string(rendering.name()) + '.' + std::to_string(rendering.version());
}

}  // namespace

std::string schema_of(const std::string& database_id, std::string_view code, json::Escape escape) {
  std::string schema = database_id;
  schema.append(1, '.').append(code).append(1, '.').append(name_of(escape));
  return schema;
}

std::string schema_of(const std::string& database_id, const Rendering& rendering, json::Escape escape) {
  return schema_of(database_id, version_text(rendering), escape);
}

std::string schema_of(const std::string& database_id, const Registry& registry, json::Escape escape) {
  std::string code;
  for (const auto& rendering : registry.all()) {
    if (!code.empty()) code += '.';
    code += version_text(*rendering);
  }
  return schema_of(database_id, code, escape);
}

std::string revision_text(const std::string& database_id, Revision revision) {
  return database_id + '-' + std::to_string(revision);
}

std::string entity_tag(const std::string& revision_text, std::string_view schema, std::string_view media_type,
                       std::string_view target) {
  std::string content;
  content.reserve(schema.size() + media_type.size() + target.size() + 2);
  content.append(schema).append(1, '\n').append(media_type).append(1, '\n').append(target);
  char hash[16];
  char* const end =
      std::to_chars(hash, hash + sizeof hash, XXH3_64bits(content.data(), content.size()), 16).ptr;
  std::string tag = "\"" + revision_text + '-';
  tag.append(hash, end);
  tag += '"';
  return tag;
}

bool is_unchanged(const http::Fields& fields, std::string_view entity_tag) {
  if (!fields.has("If-None-Match")) return false;
  const std::string condition = fields.joined("If-None-Match");
  for (std::string_view tag : http::list_elements(condition)) {
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == entity_tag) return true;
  }
  return false;
}

}  // namespace tessera::origin
