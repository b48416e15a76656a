#include "http/http_date.h"

#include <algorithm>
#include <array>

namespace tessera::http {
namespace {

using std::chrono::system_clock;

constexpr std::array<std::string_view, 7> kDays{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes a date apart from left to right; after the first thing that is not as expected everything fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool literal(std::string_view expected) {
    const bool found = rest_.starts_with(expected);
    if (found) rest_.remove_prefix(expected.size());
    return check(found);
  }

  unsigned number(std::size_t digits) {
    if (!check(rest_.size() >= digits)) return 0;
    unsigned value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!check(c >= '0' && c <= '9')) return 0;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  // The day of asctime(): two digits, or a blank and one.
  unsigned padded_day() { return rest_.starts_with(' ') && literal(" ") ? number(1) : number(2); }

  unsigned month() {
    const auto found = std::find(kMonths.begin(), kMonths.end(), rest_.substr(0, 3));
    if (!check(found != kMonths.end())) return 0;
    rest_.remove_prefix(3);
    return static_cast<unsigned>(found - kMonths.begin()) + 1;
  }

  std::chrono::seconds time_of_day() {
    const unsigned hours = number(2);
    literal(":");
    const unsigned minutes = number(2);
    literal(":");
    const unsigned seconds = number(2);
    check(hours < 24 && minutes < 60 && seconds <= 60);  // 60: a leap second
    return std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds);
  }

  // The name of a day, whole or its first three letters.
  void day_name(bool whole) {
    for (const auto day : kDays) {
      const auto name = whole ? day : day.substr(0, 3);
      if (!rest_.starts_with(name)) continue;
      rest_.remove_prefix(name.size());
      return;
    }
    check(false);
  }

  bool complete() const { return good_ && rest_.empty(); }

 private:
  bool check(bool condition) {
    good_ = good_ && condition;
    return good_;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<system_clock::time_point> make_time(unsigned year, unsigned month, unsigned day,
                                                  std::chrono::seconds time_of_day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                            std::chrono::day(day)};
  // The clock's nanoseconds reach from 1677 to 2262.
  if (!date.ok() || year < 1700 || year > 2200) return std::nullopt;
  return system_clock::time_point(sys_days(date) + time_of_day);
}

std::optional<system_clock::time_point> fixed_form(std::string_view text) {
  Scanner scan(text);
  scan.day_name(false);
  scan.literal(", ");
  const unsigned day = scan.number(2);
  scan.literal(" ");
  const unsigned month = scan.month();
  scan.literal(" ");
  const unsigned year = scan.number(4);
  scan.literal(" ");
  const auto time = scan.time_of_day();
  scan.literal(" GMT");
  return scan.complete() ? make_time(year, month, day, time) : std::nullopt;
}

std::optional<system_clock::time_point> rfc850_form(std::string_view text) {
  Scanner scan(text);
  scan.day_name(true);
  scan.literal(", ");
  const unsigned day = scan.number(2);
  scan.literal("-");
  const unsigned month = scan.month();
  scan.literal("-");
  const unsigned short_year = scan.number(2);
  scan.literal(" ");
  const auto time = scan.time_of_day();
  scan.literal(" GMT");
  const unsigned year = short_year + (short_year < 70 ? 2000 : 1900);
  return scan.complete() ? make_time(year, month, day, time) : std::nullopt;
}

std::optional<system_clock::time_point> asctime_form(std::string_view text) {
  Scanner scan(text);
  scan.day_name(false);
  scan.literal(" ");
  const unsigned month = scan.month();
  scan.literal(" ");
  const unsigned day = scan.padded_day();
  scan.literal(" ");
  const auto time = scan.time_of_day();
  scan.literal(" ");
  const unsigned year = scan.number(4);
  return scan.complete() ? make_time(year, month, day, time) : std::nullopt;
}

}  // namespace

std::optional<system_clock::time_point> parse_http_date(std::string_view text) {
  if (const auto time = fixed_form(text)) return time;
  if (const auto time = rfc850_form(text)) return time;
  return asctime_form(text);
}

}  // namespace tessera::http
