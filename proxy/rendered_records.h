// A records or collection response, cut into fragments and joined by id with the manifest that it was fetched
// for.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cache/fragment.h"
#include "cache/manifest.h"
#include "config/settings.h"
#include "http/fields.h"
#include "json/slicer.h"
#include "proxy/reason.h"

namespace tessera::proxy {

// How a route's documents are cut; made once from its settings.
struct RouteShape {
  explicit RouteShape(const config::RouteSettings& settings);
  json::CollectionShape collection;
  cache::TypeMap types;
  bool has_included;
  bool shows_version;
  std::vector<std::string> constant_members;
};

// What the response's fields say of the representation.
struct Representation {
  Representation() = default;
  explicit Representation(const http::Fields& fields);
  std::string content_type;
  std::string content_language;
  std::string revision;           // Tessera-Revision
  std::vector<std::string> vary;  // lower-case names, without those that never join a key by themselves
                                  // (Accept, Accept-Encoding, Origin)
  bool vary_on_everything = false;
};

class RenderedRecords {
 public:
  static constexpr std::size_t kUnlisted = std::numeric_limits<std::size_t>::max();

  // Takes the document. Reason::not_a_collection when it is not what the route describes; not_assemblable
  // when a resource in it belongs to no record.
  static std::unique_ptr<RenderedRecords> read(std::string document, const RouteShape& shape,
                                               const cache::Manifest& manifest, cache::SystemTime born,
                                               Reason& fault);

  const json::CollectionSlice& slice() const { return slice_; }
  const std::vector<cache::FragmentPtr>& fragments() const {
    return fragments_;
  }  // one for each record of the slice
  // The manifest's position of record i, or kUnlisted.
  std::size_t position(std::size_t record) const { return positions_[record]; }
  // The record shows a version of its own, and it is not the manifest's.
  bool version_differs(std::size_t record, const cache::Manifest& manifest) const;

 private:
  RenderedRecords() = default;
  std::string document_;
  json::CollectionSlice slice_;
  std::vector<std::size_t> positions_;
  std::vector<cache::FragmentPtr> fragments_;
};

}  // namespace tessera::proxy
