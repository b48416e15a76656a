#include "proxy/key_spaces.h"

#include <algorithm>

#include "cache/digest.h"
#include "proxy/forwarding.h"
#include "proxy/record_client.h"
#include "proxy/rendered_records.h"

namespace tessera::proxy {

KeySpaces::KeySpaces(const config::RouteSettings& settings, const config::RedisSettings& redis, std::string process_secret)
    : settings_(settings),
      redis_(redis),
      process_secret_(std::move(process_secret)),
      records_(*TargetTemplate::parse(settings.records)) {}

KeySpacePtr KeySpaces::envelopes(const CollectionRequest& request, const ManifestAnswer& answer,
                                 std::string* undeclared) const {
  cache::KeySpaceParts parts;
  // Host and scheme reach the origin and name the resource (RFC 9110 7.1): a client that invents a Host must not
  // write what others read.
  std::vector<std::string> names{"host", "x-forwarded-proto"};
  const Representation representation(answer.head.fields);
  if (representation.vary_on_everything) {
    *undeclared = "*";
    return nullptr;
  }
  names.insert(names.end(), representation.vary.begin(), representation.vary.end());
  {
    const std::lock_guard lock(mutex_);
    names.insert(names.end(), learned_.begin(), learned_.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& name : names) {
    if (name != "x-forwarded-proto" && !is_carried(name, settings_.vary)) {
      *undeclared = name;
      return nullptr;
    }
    std::string value = request.carried.fields.joined(name);
    parts.vary.emplace_back(std::move(name), std::move(value));
  }
  parts.prefix = redis_.prefix;
  parts.route = settings_.name;
  parts.epoch = settings_.epoch;
  parts.schema = answer.manifest->schema();
  parts.media_type = request.accept;
  parts.parameters = records_target(records_, request, "");
  if (request.restricted) parts.parameters += "&restricted";
  set_audience(request, answer, parts);
  return std::make_shared<const cache::KeySpace>(std::move(parts));
}

void KeySpaces::set_audience(const CollectionRequest& request, const ManifestAnswer& answer,
                             cache::KeySpaceParts& parts) const {
  if (const auto audience = answer.manifest->audience()) {
    parts.audience = "a";
    parts.audience += *audience;
  } else if (settings_.records_audience == "shared") {
    parts.audience = "s";
  } else if (request.credentials) {
    parts.remote = !redis_.secret.empty();
    parts.audience = "h";
    parts.audience += cache::keyed_digest(parts.remote ? redis_.secret : process_secret_, *request.credentials).hex();
  } else {
    parts.audience = "p";
  }
}

KeySpacePtr KeySpaces::fragments(const cache::KeySpace& envelopes, std::string_view content_type) {
  cache::KeySpaceParts parts = envelopes.parts();
  parts.media_type = content_type;
  return std::make_shared<const cache::KeySpace>(std::move(parts));
}

bool KeySpaces::learn_vary(const std::vector<std::string>& names, bool* changed, std::string* undeclared) {
  *changed = false;
  for (const std::string& name : names) {
    if (!is_carried(name, settings_.vary)) {
      *undeclared = name;
      return false;
    }
    if (name == "host") continue;
    const std::lock_guard lock(mutex_);
    const auto at = std::lower_bound(learned_.begin(), learned_.end(), name);
    if (at != learned_.end() && *at == name) continue;
    learned_.insert(at, name);
    *changed = true;
  }
  return true;
}

}  // namespace tessera::proxy
