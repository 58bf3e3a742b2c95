// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/chunks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace adasum {
namespace {

TEST(Chunks, CoverMoreThanAnIntCounts) {
  using Chunk = std::pair<std::size_t, int>;
  std::vector<Chunk> chunks;
  const auto collect = [&](std::size_t offset, int length) { chunks.emplace_back(offset, length); };
  constexpr std::size_t gib = std::size_t{1} << 30;
  for_each_chunk(3 * gib - 1, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 1 << 30}, {gib, 1 << 30}, {2 * gib, (1 << 30) - 1}}));
  chunks.clear();
  for_each_chunk(gib, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 1 << 30}}));
  chunks.clear();
  for_each_chunk(0, gib, collect);
  EXPECT_EQ(chunks, (std::vector<Chunk>{{0, 0}})) << "an empty message is still a message";
}

}  // namespace
}  // namespace adasum
