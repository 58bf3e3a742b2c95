// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace adarun::trainer {

/// The sum of a[i] b[i] in double, always in the same order: eight sums, which processors can compute side by
/// side.
inline double dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= a.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += double{a[i + lane]} * double{b[i + lane]};
  }
  double sum = 0;
  for (; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  for (const double part : sums) sum += part;
  return sum;
}

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

/// Samples of a model's weights, one per row.
struct WeightSamples {
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// Reads the values of a row from `column` on.
  std::function<void(std::size_t row, std::size_t column, std::span<float> values)> read;
};

/// How many directions are wanted, and until when.
struct BasisLimits {
  int components = 1;
  std::chrono::steady_clock::time_point deadline = {};

  /// Throws Error after the deadline.
  void check_deadline() const;
};

/// Writes to `file` (.npy, components x columns) the directions in which the samples differ most: the first
/// right singular vectors of their matrix, after the mean row was subtracted from each row. Computed from the
/// products of the rows (rows x rows) in double, block by block of columns, so that memory does not grow with
/// the number of columns. Throws Error: with fewer rows than components with the reference's message; if the
/// rows span fewer dimensions (n rows span n-1 at most); after the deadline.
void write_basis(const WeightSamples& samples, const BasisLimits& limits, const std::filesystem::path& file);

}  // namespace adarun::trainer
