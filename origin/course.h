// The records that the origin serves, as one read of the database gives them.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "origin/timestamp.h"

namespace tessera::origin {

struct Slide {
  std::int64_t id = 0;
  std::string_view content;
  std::int64_t order = 0;
  Timestamp created_at;
  Timestamp updated_at;
};

struct Course {
  std::int64_t id = 0;
  std::string_view title;
  std::optional<std::int64_t> minutes;
  std::optional<bool> published;
  Timestamp created_at;
  Timestamp updated_at;
  std::span<const Slide> slides;  // by id

  bool shows_slides() const { return published.value_or(false); }
};

// Courses with their slides and the memory of their texts. Moves; the views in it stay valid.
class CourseList {
 public:
  CourseList() : texts_(std::make_unique<std::pmr::monotonic_buffer_resource>(kFirstBlock)) {}

  std::string_view keep(std::string_view text);  // a copy that lives as long as the list

  std::vector<Course> courses;
  std::vector<Slide> slides;

 private:
  static constexpr std::size_t kFirstBlock = 16 * 1024;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> texts_;
};

}  // namespace tessera::origin
