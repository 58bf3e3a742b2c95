// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/basis.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/boost/npy.h"

namespace adarun::trainer {
namespace {

/// A symmetric matrix on its way to a diagonal one, and the rotations so far, row by row.
struct Jacobi {
  std::size_t size;
  std::vector<double> matrix;
  std::vector<double> vectors;  // row i becomes eigenvector i

  double& at(std::size_t row, std::size_t column) { return matrix[row * size + column]; }

  /// Makes at(p, q) 0 by a rotation in the plane of axes p and q.
  void rotate(std::size_t p, std::size_t q) {
    const double beside = at(p, q);
    if (beside == 0) return;
    const double half = (at(q, q) - at(p, p)) / (2 * beside);
    const double tangent = std::copysign(1.0, half) / (std::abs(half) + std::hypot(half, 1.0));
    const double cosine = 1 / std::hypot(tangent, 1.0);
    const double sine = tangent * cosine;
    const auto turn = [&](double& of_p, double& of_q) {
      const double before = of_p;
      of_p = cosine * before - sine * of_q;
      of_q = sine * before + cosine * of_q;
    };
    for (std::size_t i = 0; i < size; ++i) turn(at(i, p), at(i, q));
    for (std::size_t i = 0; i < size; ++i) turn(at(p, i), at(q, i));
    for (std::size_t i = 0; i < size; ++i) turn(vectors[p * size + i], vectors[q * size + i]);
  }

  /// Whether all that is beside the diagonal is rounding.
  bool is_diagonal() {
    double beside = 0;
    double all = 0;
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < size; ++column) {
        const double square = at(row, column) * at(row, column);
        all += square;
        if (row != column) beside += square;
      }
    }
    return beside <= 1e-30 * all;
  }
};

}  // namespace

std::vector<Eigenpair> eigenpairs(std::vector<double> matrix, std::size_t size,
                                  const std::function<void()>& between) {
  Jacobi jacobi{size, std::move(matrix), std::vector<double>(size * size)};
  for (std::size_t i = 0; i < size; ++i) jacobi.vectors[i * size + i] = 1;
  constexpr int most_sweeps = 60;  // It converges quadratically: some ten are enough.
  for (int sweep = 0; sweep < most_sweeps && !jacobi.is_diagonal(); ++sweep) {
    for (std::size_t p = 0; p < size; ++p) {
      between();
      for (std::size_t q = p + 1; q < size; ++q) jacobi.rotate(p, q);
    }
  }
  std::vector<Eigenpair> pairs;
  for (std::size_t i = 0; i < size; ++i) {
    const auto begin = jacobi.vectors.begin() + static_cast<std::ptrdiff_t>(i * size);
    pairs.push_back({jacobi.at(i, i), {begin, begin + static_cast<std::ptrdiff_t>(size)}});
  }
  std::ranges::stable_sort(pairs, std::ranges::greater(), &Eigenpair::value);
  return pairs;
}

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error("dim_reduce: " + what, Exit::refused);
}

/// Some columns of all samples, without the mean row.
class ColumnBlock {
 public:
  ColumnBlock(const WeightSamples& samples, const BasisLimits& limits)
      : samples_(samples),
        limits_(limits),
        most_(std::clamp<std::size_t>(most_values / samples.rows, 1, samples.columns)),
        values_(samples.rows * most_) {}

  std::size_t begin() const { return begin_; }

  /// Continues to the next columns; false if there are none.
  bool next() {
    begin_ += columns_;
    columns_ = std::min(most_, samples_.columns - begin_);
    if (columns_ == 0) return false;
    for (std::size_t row = 0; row < samples_.rows; ++row) {
      limits_.check_deadline();
      samples_.read(row, begin_, own(row));
    }
    subtract_mean();
    return true;
  }

  std::span<const float> row(std::size_t number) const {
    return std::span(values_).subspan(number * most_, columns_);
  }

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 22U;

  std::span<float> own(std::size_t number) { return std::span(values_).subspan(number * most_, columns_); }

  void subtract_mean() {
    std::vector<double> sums(columns_);
    for (std::size_t row = 0; row < samples_.rows; ++row) {
      const std::span<float> of = own(row);
      for (std::size_t i = 0; i < columns_; ++i) sums[i] += double{of[i]};
    }
    for (std::size_t row = 0; row < samples_.rows; ++row) {
      const std::span<float> of = own(row);
      for (std::size_t i = 0; i < columns_; ++i)
        of[i] = static_cast<float>(double{of[i]} - sums[i] / static_cast<double>(samples_.rows));
    }
  }

  const WeightSamples& samples_;
  const BasisLimits& limits_;
  std::size_t most_;
  std::vector<float> values_;
  std::size_t begin_ = 0;
  std::size_t columns_ = 0;
};

/// The products of every two rows.
std::vector<double> products(const WeightSamples& samples, const BasisLimits& limits) {
  std::vector<double> gram(samples.rows * samples.rows);
  ColumnBlock block(samples, limits);
  while (block.next()) {
    for (std::size_t i = 0; i < samples.rows; ++i) {
      limits.check_deadline();
      for (std::size_t j = 0; j <= i; ++j) gram[i * samples.rows + j] += dot(block.row(i), block.row(j));
    }
  }
  for (std::size_t i = 0; i < samples.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) gram[j * samples.rows + i] = gram[i * samples.rows + j];
  }
  return gram;
}

/// The sum of the block's rows, each times its number in `factors`.
std::vector<float> combined(const ColumnBlock& block, const std::vector<double>& factors) {
  std::vector<double> sums(block.row(0).size());
  for (std::size_t row = 0; row < factors.size(); ++row) {
    const std::span<const float> of = block.row(row);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factors[row] * double{of[i]};
  }
  return {sums.begin(), sums.end()};
}

/// The first of `pairs`, each vector divided by its singular value: their products with the rows then have
/// length 1.
std::vector<Eigenpair> scaled(std::vector<Eigenpair> pairs, std::size_t components) {
  constexpr double rounding = 1e-12;  // of squares of floats
  const double least = std::max(rounding * pairs.front().value, 1e-300);
  const auto spanned = static_cast<std::size_t>(
      std::ranges::count_if(pairs, [least](const Eigenpair& pair) { return pair.value > least; }));
  if (spanned < components) {
    refuse("the samples differ in " + std::to_string(spanned) + " directions only: wanted n_components " +
           std::to_string(components) + " (at least one sample more than that)");
  }
  pairs.resize(components);
  for (Eigenpair& pair : pairs) {
    for (double& value : pair.vector) value /= std::sqrt(pair.value);
  }
  return pairs;
}

}  // namespace

void BasisLimits::check_deadline() const {
  if (std::chrono::steady_clock::now() > deadline)
    refuse("the basis was not made in time (timeout of the dictionary)");
}

void write_basis(const WeightSamples& samples, const BasisLimits& limits, const std::filesystem::path& file) {
  const auto components = static_cast<std::size_t>(limits.components);
  if (samples.rows < components) {
    refuse("The samples: " + std::to_string(samples.rows) + " is less than: n_component " +
           std::to_string(components) + ".");
  }
  const std::vector<Eigenpair> pairs = scaled(
      eigenpairs(products(samples, limits), samples.rows, [&] { limits.check_deadline(); }), components);
  NpyWriter writer(file, components, samples.columns);
  ColumnBlock block(samples, limits);
  while (block.next()) {
    for (std::size_t i = 0; i < components; ++i) {
      limits.check_deadline();
      writer.write(i, block.begin(), combined(block, pairs[i].vector));
    }
  }
  writer.finish();
}

}  // namespace adarun::trainer
