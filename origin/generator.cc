#include "origin/generator.h"

#include <algorithm>
#include <numeric>

#include "origin/random.h"
#include "origin/words.h"

namespace tessera::origin {
namespace {

constexpr std::int64_t kPublishedPerMille = 782;

// What each independent series of random numbers is for.
enum Stream : std::uint64_t { kRank = 1, kCourse = 2, kSlide = 3 };

// The records are this far apart, as when a script fills a table.
constexpr auto kFirstCreation = std::chrono::sys_days{std::chrono::year{2019} / 7 / 9} +
                                std::chrono::hours{18} + std::chrono::minutes{30} +
                                std::chrono::microseconds{13'123'456};
constexpr std::chrono::microseconds kCoursePause{7'919};
constexpr std::chrono::microseconds kSlidePause{1'013};
constexpr std::int64_t kLongestEdit = 90LL * 24 * 3600;  // seconds from creation to the last change

std::chrono::microseconds random_edit(Random& random) {
  const auto seconds = static_cast<std::int64_t>(random.below(kLongestEdit));
  const auto fraction = static_cast<std::int64_t>(random.below(1'000'000));
  return std::chrono::microseconds{seconds * 1'000'000 + fraction};
}

// The courses with the highest ranks are published: an exact share of any number of courses.
std::vector<bool> choose_published(std::int64_t courses, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(courses);
  std::vector<std::uint64_t> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = Random(seed, kRank, i + 1).next();
  std::vector<std::size_t> by_rank(count);
  std::iota(by_rank.begin(), by_rank.end(), 0);
  const auto published = static_cast<std::ptrdiff_t>((courses * kPublishedPerMille + 500) / 1'000);
  std::nth_element(by_rank.begin(), by_rank.begin() + published, by_rank.end(),
                   [&](std::size_t a, std::size_t b) { return ranks[a] > ranks[b]; });
  std::vector<bool> chosen(count, false);
  for (auto course = by_rank.begin(); course != by_rank.begin() + published; ++course) chosen[*course] = true;
  return chosen;
}

}  // namespace

Generator::Generator(DataSetSize size, std::uint64_t seed)
    : size_(size), seed_(seed), published_(choose_published(size.courses, seed)) {}

GeneratedCourse Generator::course(std::int64_t course) const {
  Random random(seed_, kCourse, static_cast<std::uint64_t>(course));
  GeneratedCourse generated;
  generated.id = course;
  generated.title = catch_phrase(random);
  generated.minutes = 5 + static_cast<std::int64_t>(random.below(115));
  if (random.below(20) == 0) generated.minutes.reset();
  if (random.below(2) == 0) generated.published = false;
  if (is_published(course)) generated.published = true;
  generated.created_at = kFirstCreation + (course - 1) * kCoursePause;
  generated.updated_at = generated.created_at + random_edit(random);
  return generated;
}

GeneratedSlide Generator::slide(const GeneratedCourse& course, std::int64_t order) const {
  GeneratedSlide generated;
  generated.id = (course.id - 1) * size_.slides + order + 1;
  Random random(seed_, kSlide, static_cast<std::uint64_t>(generated.id));
  generated.course_id = course.id;
  generated.content = hacker_sentence(random);
  generated.order = order;
  generated.created_at = course.created_at + (order + 1) * kSlidePause;
  // A slide's change is its course's too, so the course is never older.
  generated.updated_at = std::max(generated.created_at, course.updated_at - random_edit(random));
  return generated;
}

}  // namespace tessera::origin
