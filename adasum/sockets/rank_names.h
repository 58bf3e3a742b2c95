// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace adasum::sockets {

/// What errors call the ranks of a world. After the members of an elastic job have changed, a rank has
/// another number in the world than the job's users know it by.
class RankNames {
 public:
  RankNames() = default;

  /// `numbers`: those at the start of the job, by rank.
  explicit RankNames(std::vector<int> numbers) : numbers_(std::move(numbers)) {}

  int number(int rank) const {
    const bool is_numbered = rank >= 0 && static_cast<std::size_t>(rank) < numbers_.size();
    return is_numbered ? numbers_[static_cast<std::size_t>(rank)] : rank;
  }
  std::string name(int rank) const { return "rank " + std::to_string(number(rank)); }

 private:
  std::vector<int> numbers_;
};

}  // namespace adasum::sockets
