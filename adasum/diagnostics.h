// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace adasum {

/// What was measured of one tensor when it was combined. Participants are ranks, or groups by their means.
struct TensorDiagnostics {
  std::vector<double> norms;    ///< |g_i| of each participant.
  std::vector<double> cosines;  ///< Of each two: cosines[i * participants + j], 0 where one of them is zero.
  std::vector<double> coefficients;  ///< The result is the sum of coefficients[i] * g_i.

  /// |result| / |sum of g_i|: 1 where all are orthogonal, 1/p where all are the same; 0 where the sum is
  /// zero.
  double to_sum = 0;

  /// |result|^2 / sum of |g_i|^2, the orthogonality of arXiv 2006.02924: 1 where all are orthogonal, 1/p
  /// where all are the same; 0 where all are zero.
  double orthogonality = 0;

  /// False where participants nearly cancel, or are too long or short for sums of squares of doubles: they
  /// have then been combined pair by pair instead, and coefficients, to_sum and orthogonality have few
  /// digits.
  bool trusted = true;
};

/// From the dot products of each two of `participants` (kernels::pair_index), those of one tensor after the
/// other.
std::vector<TensorDiagnostics> diagnostics_of(std::span<const double> dots, std::size_t participants);

}  // namespace adasum
