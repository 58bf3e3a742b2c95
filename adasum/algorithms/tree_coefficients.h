// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace adasum::algorithms {

/// Computes the coefficient of each leaf in the AdaSum of all. Every node of the tree of arXiv 2006.02924,
/// section 3, is a linear combination of the leaves, so its dot products, and from them its coefficients,
/// follow from those of the leaves.
///
/// `gram` holds the dot products of every two leaves (kernels::pair_index). `coefficients` has one element
/// per leaf, at most kernels::max_rows. The tree combines neighbours; an unpaired node moves up a level
/// unchanged.
///
/// Returns false if the squared norm of an inner node is less than `least_norm` times the sum of the
/// magnitudes of its terms, as when neighbours nearly cancel: the norm, and so the coefficients, then have
/// too few digits.
bool tree_coefficients(std::span<const double> gram, double least_norm, std::span<double> coefficients);

}  // namespace adasum::algorithms
