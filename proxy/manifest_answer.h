// What the origin answered to one manifest request.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cache/manifest.h"
#include "cache/racy.h"
#include "http/message.h"

namespace tessera::proxy {

inline constexpr std::string_view kManifestMediaType = "application/vnd.tessera.manifest+json";

// Immutable once its fetch has ended; shared by every request that waited for the fetch.
struct ManifestAnswer {
  enum class Kind : unsigned char {
    manifest,     // `manifest` is set
    relay,        // the origin's answer is the client's: 401, 403, 404, redirects and other 4xx
    other,        // a 200 that is no manifest, or a 406 or 415: the origin does not know manifests here
    unavailable,  // no answer, a 5xx or a 429
    too_large,    // a manifest past the limit
  };
  Kind kind = Kind::unavailable;
  http::ResponseHead
      head;          // of this very response; a 304's fields replace those of the answer that it confirms
  std::string body;  // relay, other and unavailable: the origin's body
  std::shared_ptr<const cache::Manifest> manifest;
  std::optional<cache::UtcTime>
      newest_coarse;          // the newest version that reads as a timestamp with a coarse fraction
  std::string revision;       // Tessera-Revision, "" when there is none
  bool answered = false;      // the origin answered at all
  bool timed_out = false;     // it was not there in time
  bool not_modified = false;  // a 304
  bool set_cookie = false;    // for one request only
  std::chrono::steady_clock::time_point received;

  // Holds a version that a second write within the same tick could share (see cache/racy.h): nothing of it
  // may be kept.
  bool racy(std::chrono::milliseconds settle) const;
  std::optional<cache::UtcTime> date() const;
};

using ManifestAnswerPtr = std::shared_ptr<const ManifestAnswer>;

}  // namespace tessera::proxy
