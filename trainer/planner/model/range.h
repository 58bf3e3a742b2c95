// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace adarun::planner {

/// The numbers begin <= n < end.
struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const IndexRange&) const = default;
};

/// What is in both; of size 0 if nothing is.
inline IndexRange common(const IndexRange& a, const IndexRange& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Part `index` of `count` things in `parts` parts: the first count % parts parts have one thing more.
inline IndexRange part_of(std::int64_t count, std::int64_t parts, std::int64_t index) {
  const std::int64_t small = count / parts;
  const std::int64_t larger = count % parts;
  const std::int64_t begin = index * small + std::min(index, larger);
  return {begin, begin + small + (index < larger ? 1 : 0)};
}

/// The size of the largest part: that of the first.
inline std::int64_t largest_part(std::int64_t count, std::int64_t parts) {
  return part_of(count, parts, 0).size();
}

}  // namespace adarun::planner
