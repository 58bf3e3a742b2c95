// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

namespace adarun::trainer {

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
