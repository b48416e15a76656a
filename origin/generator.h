// The data set that a new database is filled with: invented course titles and slide texts, the same on every
// machine for the same seed.
//
// Every record comes from the seed and its own number alone, so a larger data set begins with the records of
// a smaller one; only which courses are published depends on how many there are. Nothing is adjusted
// afterwards: the default data set has its document lengths because kDefaultSeed is a seed for which it has
// them (find_seed.cc searches for such seeds).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "origin/timestamp.h"

namespace tessera::origin {

struct DataSetSize {
  std::int64_t courses = 1'000;
  std::int64_t slides = 5;  // of each course
};

struct GeneratedCourse {
  std::int64_t id = 0;  // from 1
  std::string title;
  std::optional<std::int64_t> minutes;
  std::optional<bool> published;
  Timestamp created_at;
  Timestamp updated_at;
};

struct GeneratedSlide {
  std::int64_t id = 0;  // counted through all courses, from 1
  std::int64_t course_id = 0;
  std::string content;
  std::int64_t order = 0;  // from 0
  Timestamp created_at;
  Timestamp updated_at;
};

inline constexpr std::uint64_t kDefaultSeed = 28'206;

class Generator {
 public:
  explicit Generator(DataSetSize size, std::uint64_t seed = kDefaultSeed);

  DataSetSize size() const { return size_; }
  // 782 of 1,000 courses are published, the others say false or null.
  bool is_published(std::int64_t course) const { return published_[static_cast<std::size_t>(course - 1)]; }

  // REQUIRED: 1 <= course <= size().courses, 0 <= order < size().slides.
  GeneratedCourse course(std::int64_t course) const;
  GeneratedSlide slide(const GeneratedCourse& course, std::int64_t order) const;

 private:
  DataSetSize size_;
  std::uint64_t seed_;
  std::vector<bool> published_;  // by course
};

}  // namespace tessera::origin
