#include "origin/statistics.h"

#include <string_view>

#include "json/writer.h"

namespace tessera::origin {
namespace {

constexpr std::array<std::string_view, kCounters> kNames = {
    "requests",
    "manifest_requests",
    "manifest_not_modified",
    "collection_requests",
    "collection_not_modified",
    "records_requests",
    "record_requests",
    "courses_rendered",
    "courses_rendered_by_ids",
    "articles_decoded",
    "writes",
};

}  // namespace

std::string Statistics::to_json() const {
  json::Writer json(json::Escape::none);
  json.begin_object();
  for (std::size_t i = 0; i < kCounters; ++i) {
    json.key(kNames[i]);
    json.number(static_cast<std::int64_t>(value(static_cast<Counter>(i))));
  }
  json.end_object();
  return json.take();
}

}  // namespace tessera::origin
