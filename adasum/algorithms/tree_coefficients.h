// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace adasum::algorithms {

/// The three numbers that determine the coefficients of a pair.
struct Dots {
  double ab = 0;  ///< a.b
  double aa = 0;  ///< |a|^2
  double bb = 0;  ///< |b|^2

  bool operator==(const Dots&) const = default;
};

/// Adasum(a, b) = a * this->a + b * this->b.
struct Coefficients {
  double a = 1;
  double b = 1;

  bool operator==(const Coefficients&) const = default;
};

/// Squared norms below this have lost digits to underflow: DBL_MIN / DBL_EPSILON, about 1e-292. No nonzero
/// float vector comes near it (the smallest denormal squared is 2e-90), so it affects only double data.
inline constexpr double smallest_squared_norm = 0x1p-970;

/// The coefficients of a pair: (1 - a.b / (2|a|^2), 1 - a.b / (2|b|^2)), arXiv 2006.02924, section 3.
///
/// Departure: a squared norm below smallest_squared_norm, in particular zero, gives coefficient 1. A zero
/// vector adds nothing whatever its coefficient, and makes a.b zero, so the other vector is the result.
Coefficients pair_coefficients(const Dots& dots);

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
