#include "json/key.h"

#include <algorithm>

namespace tessera::json {
namespace {

// Safe in every mode, and ASCII: what Key accepts.
bool needs_no_escape(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return c >= 0x20 && c <= 0x7E && std::string_view("\"\\<>&").find(c) == std::string_view::npos;
  });
}

}  // namespace

InternedKey::InternedKey(std::string_view name) : size_(name.size() + 3), is_plain_(needs_no_escape(name)) {
  bytes_.reserve(std::max(size_, kChunk));
  bytes_ += '"';
  bytes_ += name;
  bytes_ += "\":";
  bytes_.resize(std::max(size_, kChunk));
}

const InternedKey& KeyTable::intern(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return *found->second;
  const InternedKey& key = keys_.emplace_back(name);
  by_name_.emplace(key.name(), &key);
  return key;
}

}  // namespace tessera::json
