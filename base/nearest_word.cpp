// SPDX-License-Identifier: Apache-2.0
#include "base/nearest_word.h"

#include <algorithm>

namespace adarun::base {
namespace {

// The edit distance with swaps of neighbours (optimal string alignment), from three rows of its table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& words) {
  if (typed.empty()) return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t off = word.starts_with(typed) ? 0 : distance(typed, word);
    if (off >= least) continue;
    least = off;
    nearest = word;
  }
  return nearest;
}

}  // namespace adarun::base
