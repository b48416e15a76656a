#include "http/date.h"

#include <algorithm>

namespace tessera::http {
namespace {

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

char* put(char* out, std::string_view text) {
  return std::copy(text.begin(), text.end(), out);
}

char* put_number(char* out, int value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) out[i] = static_cast<char>('0' + value % 10);
  return out + digits;
}

}  // namespace

// By hand: strftime's names follow the locale.
std::string_view DateCache::text(std::time_t now) {
  if (now != second_) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    char* out = put(text_, kDays.substr(static_cast<std::size_t>(parts.tm_wday) * 3, 3));
    out = put(out, ", ");
    out = put_number(out, parts.tm_mday, 2);
    out = put(out, " ");
    out = put(out, kMonths.substr(static_cast<std::size_t>(parts.tm_mon) * 3, 3));
    out = put(out, " ");
    out = put_number(out, parts.tm_year + 1900, 4);
    out = put(out, " ");
    out = put_number(out, parts.tm_hour, 2);
    out = put(out, ":");
    out = put_number(out, parts.tm_min, 2);
    out = put(out, ":");
    out = put_number(out, parts.tm_sec, 2);
    put(out, " GMT");
    second_ = now;
  }
  return {text_, 29};
}

}  // namespace tessera::http
