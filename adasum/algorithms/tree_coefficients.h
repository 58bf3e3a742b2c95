// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum::algorithms {

/// How much of each leaf is in the AdaSum of all. Every node of the tree of arXiv 2006.02924, section 3, is a
/// linear combination of the leaves, so all its dot products, and by them its coefficients, follow from those
/// of the leaves.
///
/// `gram` holds the dot products of each two leaves (kernels::pair_index), `coefficients` has one place per
/// leaf, at most kernels::max_rows. The tree is that of neighbours, where an odd one out is carried up.
///
/// False where the squared norm of an inner node is less than `least_norm` of the sum of the magnitudes of
/// its terms, as happens where neighbours nearly cancel: its digits, and so the coefficients, are then not to
/// be trusted.
bool tree_coefficients(std::span<const double> gram, double least_norm, std::span<double> coefficients);

}  // namespace adasum::algorithms
