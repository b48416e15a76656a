// Which requests may share fragments: works out the key space of a request from its manifest answer.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/key_space.h"
#include "config/settings.h"
#include "proxy/collection_request.h"
#include "proxy/manifest_answer.h"
#include "proxy/target_template.h"

namespace tessera::proxy {

using KeySpacePtr = std::shared_ptr<const cache::KeySpace>;

// One per route; thread-safe.
class KeySpaces {
 public:
  // `process_secret` keys the HMAC of credentials when [redis] secret is not set: such spaces stay in L1.
  KeySpaces(const config::RouteSettings& settings, const config::RedisSettings& redis,
            std::string process_secret);

  // The space of the request's envelopes and snapshots: its media type part is the client's Accept, for the
  // chosen media type is known only from a whole-collection response. Null when Vary names a field that the
  // route does not carry
  // (`*undeclared` names it).
  KeySpacePtr envelopes(const CollectionRequest& request, const ManifestAnswer& answer,
                        std::string* undeclared) const;
  // The space of its fragments: the same, with the chosen media type.
  static KeySpacePtr fragments(const cache::KeySpace& envelopes, std::string_view content_type);

  // Takes note of the names that records responses vary on. False when the route does not carry one of them;
  // *narrow tells whether `space` lacks one, so that nothing of the responses may be kept under it.
  bool learn_vary(const std::vector<std::string>& names, bool has_audience, const cache::KeySpace& space,
                  bool* narrow, std::string* undeclared);

 private:
  // The last space of a caller without credentials, and what it follows from; each caller has one place, by
  // its digest. Most requests are like one before.
  struct Kept {
    cache::Digest caller;
    std::string accept;
    std::string vary;  // the manifest answer's
    std::optional<std::string> audience;
    std::size_t learned = 0;
    KeySpacePtr space;  // null: nothing is kept here
  };
  static constexpr std::size_t kKept = 64;
  static constexpr std::size_t kKeptBytes = 4096;  // a longer request's is not kept

  KeySpacePtr kept(const CollectionRequest& request, const ManifestAnswer& answer, std::string_view vary,
                   std::size_t* learned) const;
  void keep(const CollectionRequest& request, const ManifestAnswer& answer, std::string vary,
            std::size_t learned, const KeySpacePtr& space) const;
  KeySpacePtr make_envelopes(const CollectionRequest& request, const ManifestAnswer& answer,
                             std::string* undeclared) const;
  bool stands_for(std::string_view name, bool has_audience) const;
  void set_audience(const CollectionRequest& request, const ManifestAnswer& answer,
                    cache::KeySpaceParts& parts) const;

  const config::RouteSettings& settings_;
  const config::RedisSettings& redis_;
  const std::string process_secret_;
  const std::string epoch_;  // the route's, and the digest of its settings
  const TargetTemplate records_;
  mutable std::mutex mutex_;
  std::vector<std::string> learned_;        // lower-case names, sorted; only grows
  mutable std::array<Kept, kKept> kept_{};  // both protected by mutex_
};

}  // namespace tessera::proxy
