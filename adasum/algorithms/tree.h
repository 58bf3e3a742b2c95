// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adasum/layout.h"
#include "adasum/peers.h"
#include "adasum/scalars.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {

/// Who takes part in a tree. Leaf i of the tree is a vector that is spread over one or more ranks; every leaf
/// is spread in the same way.
struct TreePeers {
  /// The ranks that hold this rank's elements, one per leaf, in the order of the leaves. size() is a power of
  /// two.
  Peers& across;
  /// Reaches the ranks over which this rank's leaf is spread; nullptr where it holds all of it.
  Scalars* within = nullptr;
};

/// AdaSum over a balanced tree of neighbours, by vector halving and distance doubling, then back.
///
/// `data` are the elements `mine` of `layout`, what this rank holds of its leaf; the same ones on every rank of `across`.
/// On return they are the result, the same bits on every rank of `across`.
///
/// With n = data.size() and p = across.size():
///   steps   2 lg p exchanges of data, lg p (lg p + 1) / 2 of 3 doubles per tensor (lg p sums over `within`)
///   sent    2 n (p - 1) / p elements by each rank
///   flops   10 n (p - 1) / p
/// Memory: n / 2 elements, from `scratch`. T is float, double, Float16 or BFloat16. All is finite.
template <typename T>
void tree(std::span<T> data, Range mine, const Layout& layout, const TreePeers& peers, Scratch& scratch);

}  // namespace adasum::algorithms
