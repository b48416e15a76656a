#include "loadtest/history/views.h"

#include <algorithm>
#include <functional>

namespace tessera::loadtest {
namespace {

std::string around(std::string_view text, std::size_t at) {
  const std::size_t begin = at < 60 ? 0 : at - 60;
  return std::string(text.substr(begin, 120));
}

}  // namespace

const std::vector<std::string>& views() {
  static const std::vector<std::string> kViews{
      "/courses/cache_crispies",
      "/courses/jbuilder",
      "/courses/blueprinter",
      "/courses/active_model_serializer",
      "/courses/fast_jsonapi",
      "/courses/jbuilder?page=2&per_page=7",
      "/courses/cache_crispies?published=true",
      "/courses/fast_jsonapi?published=true&page=1&per_page=9",
      "/courses/blueprinter?sort=-updated_at",
      "/courses/active_model_serializer?ids=3,1,12,5",
      "/courses/fast_jsonapi?sort=title&per_page=5&page=2",
  };
  return kViews;
}

std::string observed(const test::Reply& reply, const std::string& body) {
  std::string text = body;
  for (const char* name : {"Link", "X-Total-Count"}) {
    text.append("\n").append(name).append(": ").append(reply.field(name));
  }
  return text;
}

Digest digest(std::string_view observed) {
  return {observed.size(), std::hash<std::string_view>{}(observed)};
}

std::size_t common_length(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::string first_difference(std::string_view expected, std::string_view got) {
  const std::size_t at = common_length(expected, got);
  return "first difference at byte " + std::to_string(at) + " (lengths " + std::to_string(expected.size()) +
         " and " + std::to_string(got.size()) + ")\n    origin: ..." + around(expected, at) +
         "\n    proxy:  ..." + around(got, at);
}

}  // namespace tessera::loadtest
