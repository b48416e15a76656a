// renderings.inc is generated from the list in origin/CMakeLists.txt: a line RENDERING(name) for each.
#include "origin/renderings/registry.h"

namespace tessera::origin {

#define RENDERING(name) std::unique_ptr<const Rendering> make_##name();
#include "renderings.inc"
#undef RENDERING

Registry::Registry() {
#define RENDERING(name) renderings_.push_back(make_##name());
#include "renderings.inc"
#undef RENDERING
}

const Rendering* Registry::find(std::string_view name) const {
  for (const auto& rendering : renderings_) {
    if (rendering->name() == name) return rendering.get();
  }
  return nullptr;
}

}  // namespace tessera::origin
