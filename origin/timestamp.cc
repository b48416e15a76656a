// Layout of text_: the quote, ten characters of date, 'T', eight of time, perhaps '.' and digits, 'Z', quote.
#include "origin/timestamp.h"

#include <algorithm>

namespace tessera::origin {
namespace {

constexpr std::size_t kDate = 1;
constexpr std::size_t kTime = kDate + 11;
constexpr std::size_t kFraction = kTime + 8;

char* put_digits(char* out, unsigned value, int digits) {
  for (char* digit = out + digits; digit != out; value /= 10) *--digit = static_cast<char>('0' + value % 10);
  return out + digits;
}

}  // namespace

void TimestampFormatter::set_date(std::chrono::sys_days day) {
  const std::chrono::year_month_day date{day};
  char* out = text_;
  *out++ = '"';
  out = put_digits(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  *out++ = '-';
  out = put_digits(out, static_cast<unsigned>(date.month()), 2);
  *out++ = '-';
  out = put_digits(out, static_cast<unsigned>(date.day()), 2);
  *out = 'T';
  day_ = day;
  has_date_ = true;
}

std::string_view TimestampFormatter::quoted(Timestamp time, Precision precision) {
  using namespace std::chrono;
  constexpr Timestamp kFirst = sys_days{year{0} / January / 1};
  constexpr Timestamp kLast = sys_days{year{10'000} / January / 1} - microseconds{1};
  time = std::clamp(time, kFirst, kLast);

  const sys_days day = floor<days>(time);
  if (!has_date_ || day != day_) set_date(day);
  const auto of_day = static_cast<std::uint64_t>((time - day).count());
  const auto second = static_cast<unsigned>(of_day / 1'000'000);
  const auto fraction = static_cast<unsigned>(of_day % 1'000'000);
  char* out = text_ + kTime;
  out = put_digits(out, second / 3600, 2);
  *out++ = ':';
  out = put_digits(out, second / 60 % 60, 2);
  *out++ = ':';
  out = put_digits(out, second % 60, 2);
  if (precision != Precision::seconds) {
    *out++ = '.';
    out = precision == Precision::milliseconds ? put_digits(out, fraction / 1000, 3)
                                               : put_digits(out, fraction, 6);
  }
  *out++ = 'Z';
  *out++ = '"';
  return {text_, static_cast<std::size_t>(out - text_)};
}

}  // namespace tessera::origin
