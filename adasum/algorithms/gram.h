// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "adasum/layout.h"
#include "adasum/peers.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {

/// What gram() has found: the lowest rank that is not finite, else RowTree::dots().
struct GramResult {
  std::optional<int> not_finite;
  std::vector<double> dots;
};

/// AdaSum in one shot: each rank is sent its share of every other rank's elements, makes their tree of it
/// (RowTree), and sends the result to all. `data` is the result on return, bit-equal on all ranks; or, where the
/// lowest rank with NaN or an infinity is returned, what it was.
///
/// Any number of ranks p; `group_size` neighbours are averaged first, and divide p. With n = data.size():
///   steps   2 (p - 1) exchanges of data, one sum of p (p + 1) / 2 doubles per tensor (beyond 16 ranks: one for each
///           stage of RowTree)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   n (p + 1) / 2 for the dot products, n for the combination, up to 16 ranks
/// Memory: n (p - 1) / p elements, from `scratch`.
template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, int group_size, Peers& peers, Scratch& scratch);

}  // namespace adasum::algorithms
