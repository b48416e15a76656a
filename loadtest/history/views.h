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

// What a client sees of an answer to one of the views: the paging fields and the body.
std::string observed(const test::Reply& reply);

// Stands for an observed text. Not secure, and need not be: nobody here forges answers.
struct Digest {
  std::size_t size = 0;
  std::size_t hash = 0;
  bool operator==(const Digest&) const = default;
};
Digest digest(std::string_view observed);

// Where two texts part, with what is around it in both; a sentence.
std::string first_difference(std::string_view expected, std::string_view got);

}  // namespace tessera::loadtest
