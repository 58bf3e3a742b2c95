// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasum {

/// How the result is computed; it is the same but for rounding.
enum class Algorithm {
  automatic,  ///< By the world and where the data lies: shared, else gram up to 16 ranks, else tree.
  tree,       ///< Vector halving, distance doubling, by messages: fewest messages. Powers of two.
  gram,       ///< By messages, each rank a share of all vectors: one exchange of dot products.
  shared,     ///< Ranks of a node read one another's vectors in place; gram or tree between nodes.
};

/// Which worlds are accepted.
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
  /// Whether Plan::diagnostics() is wanted: all ranks then exchange the dot products of all tensors, instead
  /// of only those of tensors that are split over several ranks.
  bool diagnostics = false;
};

}  // namespace adasum
