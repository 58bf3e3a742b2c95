// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasum {

/// How the result is found; it is the same but for rounding.
enum class Algorithm {
  automatic,  ///< By the world and where the data is: shared, else gram up to 16 ranks, else tree.
  tree,       ///< Vector halving, distance doubling: fewest messages. Worlds of powers of two.
  gram,       ///< Every rank is sent its share of all vectors; one exchange of dot products.
  shared,     ///< Ranks of a node read one another's vectors in place; tree between nodes.
};

/// Which worlds are taken.
enum class Worlds {
  powers_of_two,  ///< As AdaSum is published.
  any,            ///< Where the number of groups is no power of two, the tree carries an odd one out up.
};

/// How the ranks of a world are combined. The same on all of them.
struct Options {
  /// Ranks [k*group_size, (k+1)*group_size) take their mean first, then the groups combine by AdaSum.
  /// 1: flat, every rank is a group of its own. Must divide the world's size.
  int group_size = 1;
  Algorithm algorithm = Algorithm::automatic;
  Worlds worlds = Worlds::powers_of_two;
  /// Whether Plan::diagnostics() is wanted: all ranks are then told the dot products of all tensors, instead of those of
  /// the tensors that they work on together.
  bool diagnostics = false;
};

}  // namespace adasum
