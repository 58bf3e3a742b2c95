// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/eigenvectors.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace adarun::trainer
