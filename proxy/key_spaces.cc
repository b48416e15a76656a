#include "proxy/key_spaces.h"

#include <algorithm>

#include "cache/digest.h"
#include "proxy/forwarding.h"
#include "proxy/record_client.h"
#include "proxy/rendered_records.h"
#include "proxy/route_digest.h"

namespace tessera::proxy {
KeySpaces::KeySpaces(const config::RouteSettings& settings, const config::RedisSettings& redis,
                     std::string process_secret)
    : settings_(settings),
      redis_(redis),
      process_secret_(std::move(process_secret)),
      epoch_(settings.epoch + '.' + route_digest(settings)),
      records_(*TargetTemplate::parse(settings.records)) {}

KeySpacePtr KeySpaces::envelopes(const CollectionRequest& request, const ManifestAnswer& answer,
                                 std::string* undeclared) const {
  // Credentials are not kept, not even as a comparison.
  const bool is_keepable =
      !request.credentials && request.caller.size() + request.accept.size() <= kKeptBytes;
  if (!is_keepable) return make_envelopes(request, answer, undeclared);
  std::string vary = answer.head.fields.joined("vary");
  std::size_t learned = 0;
  if (KeySpacePtr space = kept(request, answer, vary, &learned)) return space;
  KeySpacePtr space = make_envelopes(request, answer, undeclared);
  if (space) keep(request, answer, std::move(vary), learned, space);
  return space;
}

KeySpacePtr KeySpaces::kept(const CollectionRequest& request, const ManifestAnswer& answer,
                            std::string_view vary, std::size_t* learned) const {
  const std::lock_guard lock(mutex_);
  *learned = learned_.size();
  const Kept& place = kept_[request.caller_digest.bytes[0] % kKept];
  const bool is_same = place.space && place.caller == request.caller_digest &&
                       place.accept == request.accept && place.vary == vary &&
                       place.audience == answer.manifest->audience() && place.learned == *learned &&
                       place.space->parts().schema == answer.manifest->schema();
  return is_same ? place.space : nullptr;
}

void KeySpaces::keep(const CollectionRequest& request, const ManifestAnswer& answer, std::string vary,
                     std::size_t learned, const KeySpacePtr& space) const {
  Kept fresh{request.caller_digest, request.accept, std::move(vary), std::nullopt, learned, space};
  if (const auto audience = answer.manifest->audience()) fresh.audience = *audience;
  const std::lock_guard lock(mutex_);
  std::swap(kept_[request.caller_digest.bytes[0] % kKept], fresh);
}

KeySpacePtr KeySpaces::make_envelopes(const CollectionRequest& request, const ManifestAnswer& answer,
                                      std::string* undeclared) const {
  cache::KeySpaceParts parts;
  // Host and scheme reach the origin and name the resource (RFC 9110 7.1): a client that invents a Host must
  // not write what others read.
  std::vector<std::string> names{"host", "x-forwarded-proto"};
  const Representation representation(answer.head.fields);
  if (representation.vary_on_everything) {
    *undeclared = "*";
    return nullptr;
  }
  const http::Fields& carried = request.carried.fields;
  if (carried.get("x-forwarded-host") != carried.get("host")) names.emplace_back("x-forwarded-host");
  for (const std::string& name : settings_.vary) names.push_back(http::lower_case(name));
  for (const std::string& name : representation.vary) {
    if (!stands_for(name, answer.manifest->audience().has_value())) names.push_back(name);
  }
  {
    const std::lock_guard lock(mutex_);
    names.insert(names.end(), learned_.begin(), learned_.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& name : names) {
    const bool secret = name == "authorization" || name == "cookie";
    if (secret || (name != "x-forwarded-proto" && !is_carried(name, settings_.vary))) {
      *undeclared = name;
      return nullptr;
    }
    std::string value = request.carried.fields.joined(name);
    parts.vary.emplace_back(std::move(name), std::move(value));
  }
  parts.prefix = redis_.prefix;
  parts.route = settings_.name;
  parts.epoch = epoch_;
  parts.schema = answer.manifest->schema();
  parts.media_type = request.accept;
  parts.parameters = records_target(records_, request, "");
  if (request.restricted) parts.parameters += "&restricted";
  set_audience(request, answer, parts);
  return std::make_shared<const cache::KeySpace>(std::move(parts));
}

// Credentials never join a key themselves: the audience part stands for them, when it was made from them or
// is known to make no difference.
bool KeySpaces::stands_for(std::string_view name, bool has_audience) const {
  if (name != "authorization" && name != "cookie") return false;
  if (has_audience || settings_.records_audience == "shared") return true;
  for (const std::string& credential : settings_.credentials) {
    if (credential == name || (name == "cookie" && credential.starts_with("cookie:"))) return true;
  }
  return false;
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
    parts.audience +=
        cache::keyed_digest(parts.remote ? redis_.secret : process_secret_, *request.credentials).hex();
  } else {
    parts.audience = "p";
  }
}

KeySpacePtr KeySpaces::fragments(const cache::KeySpace& envelopes, std::string_view content_type) {
  cache::KeySpaceParts parts = envelopes.parts();
  // The chosen media type, and the Accept that it was chosen for: an API may render two Accepts differently
  // and call both application/json.
  parts.media_type += '\n';
  parts.media_type += content_type;
  return std::make_shared<const cache::KeySpace>(std::move(parts));
}

bool KeySpaces::learn_vary(const std::vector<std::string>& names, bool has_audience,
                           const cache::KeySpace& space, bool* narrow, std::string* undeclared) {
  *narrow = false;
  const auto& covered = space.parts().vary;
  for (const std::string& name : names) {
    if (stands_for(name, has_audience)) continue;
    if (name == "authorization" || name == "cookie" || !is_carried(name, settings_.vary)) {
      *undeclared = name;
      return false;
    }
    if (std::any_of(covered.begin(), covered.end(), [&](const auto& field) { return field.first == name; }))
      continue;
    *narrow = true;
    const std::lock_guard lock(mutex_);
    const auto at = std::lower_bound(learned_.begin(), learned_.end(), name);
    if (at == learned_.end() || *at != name) learned_.insert(at, name);
  }
  return true;
}

}  // namespace tessera::proxy
