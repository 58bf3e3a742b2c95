// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum {

/// How much of each leaf is in the AdaSum of all: every node of the tree is a linear combination of the leaves,
/// so all its dot products follow from those of the leaves.
///
/// `gram` holds the dot products of each two leaves (kernels::pair_index), `coefficients` has one place per
/// leaf, at most kernels::max_rows. The tree is that of neighbours, where an odd one out is carried up. `least_norm`: false is returned
/// where the squared norm of an inner node is less than that share of the magnitudes it is summed from, as
/// happens where neighbours nearly cancel; its digits, and so the coefficients, are then not to be trusted.
bool tree_coefficients(std::span<const double> gram, double least_norm, std::span<double> coefficients);

}  // namespace adasum
