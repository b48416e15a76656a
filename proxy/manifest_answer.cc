#include "proxy/manifest_answer.h"

#include "proxy/response_fields.h"

namespace tessera::proxy {

std::optional<cache::UtcTime> ManifestAnswer::date() const {
  const auto date = http_date(head.fields, "date");
  if (!date) return std::nullopt;
  return std::chrono::time_point_cast<std::chrono::microseconds>(*date);
}

bool ManifestAnswer::racy(std::chrono::milliseconds settle) const {
  if (!newest_coarse) return false;
  const auto now = date();
  // Without the origin's clock nothing says that the version has settled.
  return !now || *now <= *newest_coarse + settle;
}

}  // namespace tessera::proxy
