// All renderings that origin/CMakeLists.txt lists.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "origin/renderings/rendering.h"

namespace tessera::origin {

// Immutable after construction; shared by all threads.
class Registry {
 public:
  Registry();

  const Rendering* find(std::string_view name) const;  // null when there is none of that name
  const std::vector<std::unique_ptr<const Rendering>>& all() const { return renderings_; }

 private:
  std::vector<std::unique_ptr<const Rendering>> renderings_;
};

}  // namespace tessera::origin
