// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace adasum {

/// Measurements of one tensor from when it was combined. Participants are ranks, or groups (by their means).
struct TensorDiagnostics {
  std::vector<double> norms;    ///< |g_i| of each participant.
  std::vector<double> cosines;  ///< Of every two: cosines[i * participants + j], 0 if one of them is zero.
  std::vector<double> coefficients;  ///< The result is the sum of coefficients[i] * g_i.

  /// |result| / |sum of g_i|: 1 if all are orthogonal, 1/p if all are equal; 0 if the sum is zero.
  double to_sum = 0;

  /// |result|^2 / sum of |g_i|^2, the orthogonality of arXiv 2006.02924: 1 if all are orthogonal, 1/p if all
  /// are equal; 0 if all are zero.
  double orthogonality = 0;

  /// False if participants nearly cancel, or are too long or too short for sums of squares of doubles: they
  /// were then combined pair by pair, and coefficients, to_sum and orthogonality have few correct digits.
  bool trusted = true;
};

/// Computes them from the dot products of every two of `participants` (kernels::pair_index), tensor after
/// tensor.
std::vector<TensorDiagnostics> diagnostics_of(std::span<const double> dots, std::size_t participants);

}  // namespace adasum
