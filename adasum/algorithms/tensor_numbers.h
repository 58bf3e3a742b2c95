// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasum/layout.h"

namespace adasum::algorithms {

/// Ranks that have a share of all elements each work together on those tensors alone that reach over several shares: at
/// most one less than there are ranks, however many tensors there are. These come first, numbered alike by all ranks;
/// then those that this rank has to itself.
class TensorNumbers {
 public:
  /// Which tensors count as shared: those that are, or all, where all ranks want to know of all.
  enum class Shared { where_they_are, all };

  /// `shares` are those of all ranks, ascending, one after the other; `mine` is this rank's.
  TensorNumbers(const Layout& layout, std::span<const Range> shares, Range mine, Shared shared);

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
