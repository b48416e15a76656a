#include "origin/course.h"

#include <cstring>

namespace tessera::origin {

std::string_view CourseList::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* copy = static_cast<char*>(texts_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

}  // namespace tessera::origin
