// What tells caches that a response is still right: schema, entity tag and Tessera-Revision.
#pragma once

#include <string>
#include <string_view>

#include "http/fields.h"
#include "json/escape.h"
#include "origin/renderings/registry.h"
#include "origin/transaction.h"

namespace tessera::origin {

// Changes when the same records would be shown by other bytes: another database, another version of the
// rendering's code (`code` names both), another escape option. An opaque token.
std::string schema_of(const std::string& database_id, std::string_view code, json::Escape escape);
std::string schema_of(const std::string& database_id, const Rendering& rendering, json::Escape escape);
// The same for what does not depend on one rendering: changes when that of any of them does.
std::string schema_of(const std::string& database_id, const Registry& registry, json::Escape escape);

// "DATABASE-REVISION": two responses with the same text were read from one state.
std::string revision_text(const std::string& database_id, Revision revision);

// A strong validator (RFC 9110 8.8.3) that costs no look at the records: the state, and a hash of all else
// that decides about the content - what is shown (`schema` and media type) and the target with its
// parameters.
std::string entity_tag(const std::string& revision_text, std::string_view schema, std::string_view media_type,
                       std::string_view target);

// True when If-None-Match names the tag (compared weakly, RFC 9110 13.1.2), or is "*".
bool is_unchanged(const http::Fields& fields, std::string_view entity_tag);

}  // namespace tessera::origin
