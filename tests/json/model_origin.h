// An origin in a few lines: records that change, and collections of them in a random layout and style of
// white space, so that tests can compare what the cache puts together with what the origin would have sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/slicer.h"

namespace tessera::json {

class ModelOrigin {
 public:
  enum class Layout { bare, enveloped, nested, json_api };

  struct Record {
    Id id;
    std::uint64_t version = 1;
    std::string text;                    // of some attribute
    std::vector<std::size_t> resources;  // that it links to
  };

  // Everything that is random comes from `random` (print its seed).
  ModelOrigin(std::mt19937_64& random, Layout layout, std::size_t records);
  static ModelOrigin any(std::mt19937_64& random);

  Layout layout() const { return layout_; }
  CollectionShape shape() const;
  Pointer array_pointer() const;
  bool has_included() const { return layout_ == Layout::json_api; }
  std::vector<std::string_view> member_names() const;  // of the envelope
  const std::vector<Record>& records() const { return records_; }

  // The collection of these records, in this order.
  std::string render(std::span<const std::size_t> order) const;
  std::string render_all() const;
  std::string record_text(std::size_t index) const;
  // The manifest that goes with it, with the members' values.
  std::string manifest(std::span<const std::size_t> order) const;
  std::string version(std::size_t index) const;

  void change(std::mt19937_64& random, std::size_t index);

 private:
  struct Resource {
    std::string text;
    std::vector<std::size_t> resources;
  };

  std::string joined(const std::vector<std::string>& elements) const;
  std::string object(const std::vector<std::pair<std::string, std::string>>& members) const;
  std::string linkage(const std::vector<std::size_t>& resources) const;
  std::string resource_text(std::size_t index) const;
  std::vector<std::size_t> reached(std::span<const std::size_t> order) const;
  std::string meta(std::span<const std::size_t> order) const;

  Layout layout_;
  std::string gap_;  // white space between tokens
  bool has_meta_ = false;
  std::vector<Record> records_;
  std::vector<Resource> resources_;
};

}  // namespace tessera::json
