// SPDX-License-Identifier: Apache-2.0
#include "base/parse_json.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonNesting, IsBounded) {
  EXPECT_FALSE(is_nested_too_deep(nested(most_json_depth)));
  EXPECT_TRUE(is_nested_too_deep(nested(most_json_depth + 1)));
  EXPECT_TRUE(is_nested_too_deep(std::string(10'000'000, '[')));
  std::string objects;
  for (std::size_t i = 0; i <= most_json_depth; ++i) objects += "{\"a\":";
  EXPECT_TRUE(is_nested_too_deep(objects));
}

TEST(JsonNesting, DoesNotCountWhatIsBesideOrInTexts) {
  std::string list = "[";
  for (std::size_t i = 0; i <= most_json_depth; ++i) list += "[{}],";
  EXPECT_FALSE(is_nested_too_deep(list));
  const std::string brackets(2 * most_json_depth, '[');
  EXPECT_FALSE(is_nested_too_deep("[\"" + brackets + "\", \"a\\\"" + brackets + "\"]"));
  EXPECT_TRUE(is_nested_too_deep("[\"a\\\\\"," + brackets + "]"));
  EXPECT_FALSE(is_nested_too_deep("]]]" + nested(most_json_depth)));
  EXPECT_FALSE(is_nested_too_deep("\"\\"));
}

}  // namespace
}  // namespace adarun::base
