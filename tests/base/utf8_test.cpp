// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, ReadsTheFirstCodePoint) {
  const struct {
    std::string_view text;
    char32_t value;
    std::size_t size;
  } cases[] = {{"a"sv, U'a', 1},
               {"\0x"sv, 0, 1},
               {"\xc2\x80"sv, 0x80, 2},
               {"\xc3\xa4xyz"sv, 0xE4, 2},
               {"\xe2\x82\xac"sv, 0x20AC, 3},
               {"\xef\xbf\xbf"sv, 0xFFFF, 3},
               {"\xf0\x9f\x98\x80"sv, 0x1F600, 4},
               {"\xf4\x8f\xbf\xbf"sv, 0x10FFFF, 4}};
  for (const auto& each : cases) {
    const CodePoint point = first_code_point(each.text);
    EXPECT_TRUE(point.valid) << each.text;
    EXPECT_EQ(point.value, each.value);
    EXPECT_EQ(point.size_bytes, each.size);
  }
}

TEST(Utf8, TakesOfMalformedBytesThoseBeforeTheFirstWrongOne) {
  const struct {
    const char* what;
    std::string_view text;
    std::size_t size;
  } cases[] = {{"a continuation alone", "\x80", 0},
               {"overlong in two bytes", "\xc0\xaf", 0},
               {"overlong in three", "\xe0\x80\xaf", 1},
               {"overlong in four", "\xf0\x80\x80\xaf", 1},
               {"a surrogate", "\xed\xa0\x80", 1},
               {"above U+10FFFF", "\xf4\x90\x80\x80", 1},
               {"no first byte", "\xff", 0},
               {"cut in the middle", "\xe2\x82", 2},
               {"ended by a letter", "\xe2\x82x", 2}};
  for (const auto& each : cases) {
    const CodePoint point = first_code_point(each.text);
    EXPECT_FALSE(point.valid) << each.what;
    EXPECT_EQ(point.size_bytes, each.size) << each.what;
  }
}

}  // namespace
}  // namespace adarun::base
