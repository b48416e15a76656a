// What articles and courses have in common as rows: their ids and times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "origin/timestamp.h"

namespace tessera::origin {

// A record's id and version, as the manifest lists them.
struct RecordVersion {
  std::int64_t id = 0;
  Timestamp updated_at;
};

// A column of microseconds since 1970.
inline Timestamp timestamp(std::int64_t microseconds) {
  return Timestamp{std::chrono::microseconds{microseconds}};
}

// A JSON array, for SQLite's json_each: one parameter for any number of ids.
std::string id_list(const std::vector<std::int64_t>& ids);

}  // namespace tessera::origin
