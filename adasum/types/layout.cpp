// SPDX-License-Identifier: Apache-2.0
#include "adasum/types/layout.h"

#include <string>

#include "adasum/types/error.h"

namespace adasum {

Range share(Range whole, int index, int parts) {
  const auto i = static_cast<std::size_t>(index);
  const auto n = static_cast<std::size_t>(parts);
  const std::size_t each = whole.size() / n;
  const std::size_t longer = whole.size() % n;
  const std::size_t begin = whole.begin + i * each + std::min(i, longer);
  return {begin, begin + each + (i < longer ? 1 : 0)};
}

std::vector<Range> shares(Range whole, int parts) {
  std::vector<Range> all;
  all.reserve(static_cast<std::size_t>(parts));
  for (int index = 0; index < parts; ++index) all.push_back(share(whole, index, parts));
  return all;
}

Layout::Layout(std::span<const std::int64_t> counts, std::size_t size) {
  begins_.reserve(counts.size() + 1);
  begins_.push_back(0);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const std::size_t left = size - begins_.back();
    if (static_cast<std::uint64_t>(counts[t]) > left) {  // also true for a negative count, as unsigned
      throw Error("tensor " + std::to_string(t) + ": count " + std::to_string(counts[t]) + ": wanted 0 to " +
                  std::to_string(left) + ", what is left of " + std::to_string(size) + " elements");
    }
    begins_.push_back(begins_.back() + static_cast<std::size_t>(counts[t]));
  }
  if (begins_.back() != size) {
    throw Error("counts of " + std::to_string(counts.size()) + " tensors add up to " +
                std::to_string(begins_.back()) + ": the buffer holds " + std::to_string(size) + " elements");
  }
}

}  // namespace adasum
