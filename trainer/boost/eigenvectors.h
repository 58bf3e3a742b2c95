// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace adarun::trainer {

/// An eigenvalue of a symmetric matrix and its eigenvector of length 1.
struct Eigenpair {
  double value = 0;
  std::vector<double> vector;
};

/// All eigenpairs of a symmetric `matrix` (size x size, row by row), the largest value first. Jacobi's method
/// with cyclic sweeps, until what is left beside the diagonal is rounding. Calls `between` before the
/// rotations of each row; what it throws ends the work. For matrices of some hundred rows.
std::vector<Eigenpair> eigenpairs(std::vector<double> matrix, std::size_t size,
                                  const std::function<void()>& between);

}  // namespace adarun::trainer
