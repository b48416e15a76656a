#include "http/octets.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

bool is_control(unsigned octet) {
  return octet < 0x20 || octet == 0x7f;
}

// Every octet at every place of texts around the width that is looked at at once.
TEST(Octets, FindTheFirstControlAnywhere) {
  for (std::size_t size = 0; size <= 25; ++size) {
    EXPECT_EQ(find_control(std::string(size, 'x')), std::string::npos);
    for (std::size_t at = 0; at < size; ++at) {
      for (unsigned octet = 0; octet < 256; ++octet) {
        std::string text(size, '\xff');
        text[at] = static_cast<char>(octet);
        const std::size_t expected = is_control(octet) ? at : std::string::npos;
        ASSERT_EQ(find_control(text), expected) << size << ' ' << at << ' ' << octet;
        if (at + 1 < size) text[at + 1] = '\0';
        ASSERT_EQ(find_control(text), at + 1 < size ? std::min(expected, at + 1) : expected);
      }
    }
  }
}

TEST(Octets, AreLookedAtFromAPlaceOn) {
  const std::string text = "\tone\ttwo, three and four\x7f";
  EXPECT_EQ(find_control(text), 0u);
  EXPECT_EQ(find_control(text, 1), 4u);
  EXPECT_EQ(find_control(text, 5), text.size() - 1);
  EXPECT_EQ(find_control(text, text.size()), std::string::npos);
}

}  // namespace
}  // namespace tessera::http
