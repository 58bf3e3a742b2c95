// SPDX-License-Identifier: Apache-2.0
#include "adasum/types/layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "adasum/types/error.h"

namespace adasum {
namespace {

using Parts = std::vector<std::pair<std::size_t, Range>>;

Parts parts_of(const Layout& layout, Range range) {
  Parts parts;
  layout.for_each_part(range, [&](std::size_t tensor, Range part) { parts.emplace_back(tensor, part); });
  return parts;
}

TEST(Layout, FindsTheTensorsOfARange) {
  const std::vector<std::int64_t> counts = {0, 3, 0, 0, 4, 1, 0};
  const Layout layout(counts, 8);
  EXPECT_EQ(parts_of(layout, {0, 8}), (Parts{{1, {0, 3}}, {4, {3, 7}}, {5, {7, 8}}}));
  EXPECT_EQ(parts_of(layout, {2, 4}), (Parts{{1, {2, 3}}, {4, {3, 4}}}));
  EXPECT_EQ(parts_of(layout, {3, 3}), Parts{});
  EXPECT_EQ(parts_of(layout, {8, 8}), Parts{});
  EXPECT_EQ(parts_of(layout, {7, 8}), (Parts{{5, {7, 8}}}));
}

TEST(Layout, NamesTheTensorThatDoesNotFit) {
  const std::vector<std::int64_t> counts = {2, 7};
  try {
    const Layout layout(counts, 5);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "tensor 1: count 7: wanted 0 to 3, what is left of 5 elements");
  }
}

TEST(Share, CoversTheWholeInOrderAndEvenly) {
  for (const std::size_t size : {0, 1, 5, 16, 17, 100}) {
    for (const int parts : {1, 2, 3, 16}) {
      std::size_t next = 10;
      for (int i = 0; i < parts; ++i) {
        const Range range = share({10, 10 + size}, i, parts);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.size(), size / static_cast<std::size_t>(parts) + 1);
        next = range.end;
      }
      EXPECT_EQ(next, 10 + size);
    }
  }
}

}  // namespace
}  // namespace adasum
