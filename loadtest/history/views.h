// What the history check looks at: the answers of some targets, each as one comparable value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_request.h"

namespace tessera::loadtest {

// The targets that readers ask for: the five renderings, and filters, pages, orders and ids of them.
const std::vector<std::string>& views();

// What a client knows after an answer to one of the views: the body, then the paging fields. A 304 brings its
// fields and stands for the body that the client has.
std::string observed(const test::Reply& reply, const std::string& body);

// Stands for an observed text. Not secure, and need not be: nobody here forges answers.
struct Digest {
  std::size_t size = 0;
  std::size_t hash = 0;
  bool operator==(const Digest&) const = default;
};
Digest digest(std::string_view observed);

std::size_t common_length(std::string_view a, std::string_view b);

// Where two texts part, with what is around it in both; a sentence.
std::string first_difference(std::string_view expected, std::string_view got);

}  // namespace tessera::loadtest
