// Text is read strictly: what is not wholly a timestamp is none. A wrong "coarse" costs a fetch, a wrong
// "exempt" could hide a write, so near misses of the common forms (a blank before the offset, "UTC") are read
// too.
#include "cache/racy.h"

#include <algorithm>
#include <cstdint>

namespace tessera::cache {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

struct Coarse {
  UtcTime time;
  microseconds spread{0};  // how much later, to the second, the write can have been
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Exactly `digits` of them, at most `limit`.
  std::optional<int> number(int digits, int limit) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      const std::optional<int> next = digit();
      if (!next) return std::nullopt;
      value = value * 10 + *next;
    }
    if (value > limit) return std::nullopt;
    return value;
  }
  std::optional<int> digit() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return std::nullopt;
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

 private:
  std::string_view rest_;
};

// One to five digits: how much of a second; unset when there are more (or none).
std::optional<microseconds> coarse_fraction(Scanner& scanner) {
  std::int64_t value = 0;
  std::int64_t unit = 1'000'000;
  int digits = 0;
  while (const std::optional<int> digit = scanner.digit()) {
    if (++digits == 6) return std::nullopt;
    unit /= 10;
    value += *digit * unit;
  }
  if (digits == 0) return std::nullopt;
  return microseconds(value);
}

// "Z", "+02:00", "-0330", "+01", " UTC", or nothing.
std::optional<seconds> offset(Scanner& scanner) {
  if (scanner.done() || scanner.take('Z') || scanner.take('z')) return seconds(0);
  scanner.take(' ');
  if (scanner.take("UTC") || scanner.take("GMT") || scanner.take('Z')) return seconds(0);
  const bool is_west = scanner.take('-');
  if (!is_west && !scanner.take('+')) return std::nullopt;
  const std::optional<int> hours = scanner.number(2, 23);
  if (!hours) return std::nullopt;
  int minutes = 0;
  if (!scanner.done()) {
    scanner.take(':');
    const std::optional<int> read = scanner.number(2, 59);
    if (!read) return std::nullopt;
    minutes = *read;
  }
  const seconds east = std::chrono::hours(*hours) + std::chrono::minutes(minutes);
  return is_west ? -east : east;
}

std::optional<std::chrono::sys_days> date(Scanner& scanner) {
  const std::optional<int> year = scanner.number(4, 9999);
  if (!year || !scanner.take('-')) return std::nullopt;
  const std::optional<int> month = scanner.number(2, 12);
  if (!month || !scanner.take('-')) return std::nullopt;
  const std::optional<int> day = scanner.number(2, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day whole(std::chrono::year(*year),
                                          std::chrono::month(static_cast<unsigned>(*month)),
                                          std::chrono::day(static_cast<unsigned>(*day)));
  if (!whole.ok()) return std::nullopt;
  return std::chrono::sys_days(whole);
}

std::optional<Coarse> calendar(std::string_view text) {
  Scanner scanner(text);
  const std::optional<std::chrono::sys_days> day = date(scanner);
  if (!day) return std::nullopt;
  Coarse coarse{*day};
  if (scanner.done()) {  // a day of some place: it ends last at UTC-12
    coarse.spread = std::chrono::hours(36) - seconds(1);
    return coarse;
  }
  if (!scanner.take('T') && !scanner.take('t') && !scanner.take(' ')) return std::nullopt;
  const std::optional<int> hour = scanner.number(2, 24);
  if (!hour || !scanner.take(':')) return std::nullopt;
  const std::optional<int> minute = scanner.number(2, 59);
  if (!minute) return std::nullopt;
  coarse.time += std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (scanner.take(':')) {
    const std::optional<int> second = scanner.number(2, 60);
    if (!second) return std::nullopt;
    coarse.time += seconds(*second);
    if (scanner.take('.') || scanner.take(',')) {
      const std::optional<microseconds> fraction = coarse_fraction(scanner);
      if (!fraction) return std::nullopt;
      coarse.time += *fraction;
    }
  } else {
    coarse.spread = seconds(59);
  }
  const std::optional<seconds> east = offset(scanner);
  if (!east || !scanner.done()) return std::nullopt;
  coarse.time -= *east;
  return coarse;
}

// Seconds (10 digits, or with a fraction after them) or milliseconds (13) since 1970.
std::optional<Coarse> since_epoch(std::string_view text) {
  std::int64_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 13) return std::nullopt;
    value = value * 10 + (text[digits] - '0');
  }
  if (digits == 13 && digits == text.size()) return Coarse{UtcTime(std::chrono::milliseconds(value))};
  if (digits != 10) return std::nullopt;
  Coarse coarse{UtcTime(seconds(value))};
  Scanner scanner(text.substr(digits));
  if (scanner.done()) return coarse;
  if (!scanner.take('.')) return std::nullopt;
  const std::optional<microseconds> fraction = coarse_fraction(scanner);
  if (!fraction || !scanner.done()) return std::nullopt;
  coarse.time += *fraction;
  return coarse;
}

// "2024-03-05T07:08:09.123456...": what most manifests hold, told without reading the rest.
bool has_fine_fraction(std::string_view version) {
  constexpr std::size_t kPoint = 19;
  constexpr std::size_t kDigits = 6;
  if (version.size() <= kPoint + kDigits || version[kPoint] != '.') return false;
  return std::all_of(version.begin() + kPoint + 1, version.begin() + kPoint + 1 + kDigits,
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<Coarse> read(std::string_view version) {
  constexpr std::size_t kShortest = 10;  // "2024-03-05", "1709622489"
  constexpr std::size_t kLongest = 40;
  if (version.size() < kShortest || version.size() > kLongest) return std::nullopt;
  if (version[4] != '-') return since_epoch(version);
  if (has_fine_fraction(version)) return std::nullopt;
  return calendar(version);
}

}  // namespace

std::optional<UtcTime> coarse_timestamp(std::string_view version) {
  const std::optional<Coarse> coarse = read(version);
  if (!coarse) return std::nullopt;
  return coarse->time;
}

bool is_racy(std::string_view version, UtcTime origin_date, std::chrono::milliseconds settle) {
  const std::optional<Coarse> coarse = read(version);
  if (!coarse) return false;
  return origin_date <= coarse->time + coarse->spread + settle;
}

}  // namespace tessera::cache
