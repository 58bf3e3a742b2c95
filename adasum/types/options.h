// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasum {

/// How the result is computed. The results differ only by rounding, those of `tree` for double if vectors at
/// each level of the tree are of lengths between 1e-146 and 1e154: it does not scale them for dot products.
enum class Algorithm {
  automatic,  ///< By the world and where the data is: shared, else gram up to 16 ranks, else tree.
  tree,       ///< Vector halving, distance doubling, by messages: fewest messages. Powers of two only.
  gram,       ///< By messages, each rank combines its share of all vectors: one exchange of dot products.
  shared,     ///< Ranks of a node read each other's vectors in place; gram or tree between nodes.
};

/// Which worlds are accepted.
enum class Worlds {
  powers_of_two,  ///< As in the AdaSum paper.
  any,  ///< If the number of groups is not a power of two, an unpaired node moves up the tree unchanged.
};

/// What the mean of a group is multiplied by before AdaSum combines the groups.
enum class GroupGain {
  none,    ///< Nothing: as the reference does.
  spread,  ///< spread_gain(), for each tensor: more where the ranks of the group differ. Steps apply it; a
           ///< Plan alone does not.
};

/// How the ranks of a world are combined. The same on all ranks.
struct Options {
  /// Ranks [k*group_size, (k+1)*group_size) are averaged first, then the groups combine by AdaSum. 1: every
  /// rank is a group. Must divide the world's size.
  int group_size = 1;
  GroupGain group_gain = GroupGain::none;
  Algorithm algorithm = Algorithm::automatic;
  Worlds worlds = Worlds::powers_of_two;
  /// Whether to compute Plan::diagnostics(): all ranks then exchange the dot products of all tensors, instead
  /// of only those of tensors that are split over several ranks.
  bool diagnostics = false;

  /// Whether there are groups whose means are multiplied by a gain.
  bool scales_groups() const { return group_size > 1 && group_gain != GroupGain::none; }
};

}  // namespace adasum
