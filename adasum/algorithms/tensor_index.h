// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Numbers the tensors of which a rank's share of all elements has a part. First those that are split over
/// several ranks' shares, numbered alike by all ranks: at most one less than there are ranks, however many
/// tensors there are. Then those that lie within this rank's share.
class TensorIndex {
 public:
  /// Which tensors are numbered alike by all ranks: those that are split, or all, where all ranks want the
  /// dot products of all.
  enum class Shared { split_tensors, all_tensors };

  /// `shares` are those of all ranks, ascending, one after the other; `mine` is this rank's.
  TensorIndex(const Layout& layout, std::span<const Range> shares, Range mine, Shared shared);

  /// How many are numbered alike by all ranks; and how many there are in all.
  std::size_t shared() const { return shared_.size(); }
  std::size_t all() const { return shared() + own_; }

  /// The number of a tensor of which this rank has a part.
  std::size_t of(std::size_t tensor) const;

 private:
  std::vector<std::size_t> shared_;  // tensors, ascending
  std::size_t first_own_ = 0;
  std::size_t own_ = 0;
};

}  // namespace adasum::algorithms
