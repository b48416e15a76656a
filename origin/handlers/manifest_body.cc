#include "origin/handlers/manifest_body.h"

#include <charconv>

namespace tessera::origin {
namespace {

constexpr json::Key kSchema{"schema"};
constexpr json::Key kRecords{"records"};

}  // namespace

void write_manifest(const std::string& schema, std::span<const RecordVersion> versions, json::Writer& json) {
  TimestampFormatter dates;
  char id[24];
  id[0] = '"';
  json.begin_object();
  json.key(kSchema);
  json.string(schema);
  json.key(kRecords);
  json.begin_array();
  for (const RecordVersion& version : versions) {
    char* end = std::to_chars(id + 1, id + sizeof id - 1, version.id).ptr;
    *end++ = '"';
    json.begin_array();
    json.raw({id, static_cast<std::size_t>(end - id)});
    json.raw(dates.quoted(version.updated_at, Precision::microseconds));
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

}  // namespace tessera::origin
