// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Numbers the tensors that have elements in a rank's share. The first numbers are for tensors that are split
/// between the shares of several ranks; all ranks use the same numbers for these. There is at most one fewer
/// of them than ranks, however many tensors there are. The tensors that lie within this rank's share follow.
class TensorIndex {
 public:
  /// Which tensors have the same number on all ranks: those that are split, or all, if all ranks need the dot
  /// products of all tensors.
  enum class Shared { split_tensors, all_tensors };

  /// `shares` are those of all ranks, ascending and consecutive; `mine` is this rank's.
  TensorIndex(const Layout& layout, std::span<const Range> shares, Range mine, Shared shared);

  /// The number of tensors that are numbered alike on all ranks, and of all numbered tensors.
  std::size_t shared() const { return shared_.size(); }
  std::size_t all() const { return shared() + own_; }

  /// The number of a tensor that has elements in this rank's share.
  std::size_t of(std::size_t tensor) const;

 private:
  std::vector<std::size_t> shared_;  // tensors, ascending
  std::size_t first_own_ = 0;
  std::size_t own_ = 0;
};

/// This rank's elements of one tensor, in every participant's vector. Row r is that of participant r; rows
/// may be anywhere in memory.
template <typename T>
struct RowPart {
  std::size_t tensor = 0;  ///< Its number: TensorIndex::of().
  std::size_t size = 0;
  std::vector<T*> rows;  ///< One per participant, `size` elements each; may be overwritten.
  std::vector<T*> outs;  ///< Where the result is written; may include rows.
};

template <typename T>
using RowParts = std::vector<RowPart<T>>;

}  // namespace adasum::algorithms
