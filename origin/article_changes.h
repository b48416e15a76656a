// Writes articles inside a transaction.
#pragma once

#include <cstdint>
#include <string_view>

#include "json/codec.h"
#include "origin/error.h"
#include "origin/transaction.h"

namespace tessera::origin {

class ArticleChanges {
 public:
  explicit ArticleChanges(WriteTransaction& transaction) : transaction_(transaction) {}

  // The new id. `stored` is what the codec's encode gave.
  Result<std::int64_t> create(const json::Codec& codec, std::string_view stored);
  Result<void> remove(const json::Codec& codec, std::int64_t id);  // Error::not_found

 private:
  WriteTransaction& transaction_;
};

}  // namespace tessera::origin
