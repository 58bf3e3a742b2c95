// SPDX-License-Identifier: Apache-2.0
#include "adasum/diagnostics.h"

#include <algorithm>
#include <cmath>

#include "adasum/algorithms/tree_coefficients.h"
#include "adasum/kernels/rows.h"

namespace adasum {
namespace {

constexpr double least_norm = 1e-9;  // a squared norm below this share of its terms is not trusted

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

// The dot products of one tensor's participants.
class GramMatrix {
 public:
  GramMatrix(std::span<const double> dots, std::size_t participants)
      : dots_(dots), participants_(participants) {}

  double operator()(std::size_t i, std::size_t j) const {
    return dots_[kernels::pair_index(std::min(i, j), std::max(i, j), participants_)];
  }

  // |sum of weights[i] * g_i|^2
  double square(std::span<const double> weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < participants_; ++i) {
      for (std::size_t j = 0; j < participants_; ++j) sum += weights[i] * weights[j] * (*this)(i, j);
    }
    return std::max(sum, 0.0);
  }

 private:
  std::span<const double> dots_;
  std::size_t participants_;
};

TensorDiagnostics diagnose(std::span<const double> dots, std::size_t participants) {
  const GramMatrix gram(dots, participants);
  TensorDiagnostics result;
  result.coefficients.resize(participants);
  result.trusted = algorithms::tree_coefficients(dots, least_norm, result.coefficients) &&
                   std::ranges::all_of(dots, [](double dot) { return std::isfinite(dot); });
  double squares = 0;
  for (std::size_t i = 0; i < participants; ++i) {
    squares += gram(i, i);
    result.norms.push_back(std::sqrt(gram(i, i)));
  }
  for (std::size_t i = 0; i < participants; ++i) {
    for (std::size_t j = 0; j < participants; ++j)
      result.cosines.push_back(ratio(gram(i, j), result.norms[i] * result.norms[j]));
  }
  const double combined = gram.square(result.coefficients);
  result.to_sum = std::sqrt(ratio(combined, gram.square(std::vector<double>(participants, 1.0))));
  result.orthogonality = ratio(combined, squares);
  return result;
}

}  // namespace

std::vector<TensorDiagnostics> diagnostics_of(std::span<const double> dots, std::size_t participants) {
  const std::size_t pairs = kernels::pairs_of(participants);
  std::vector<TensorDiagnostics> all;
  for (; !dots.empty(); dots = dots.subspan(pairs)) all.push_back(diagnose(dots.first(pairs), participants));
  return all;
}

}  // namespace adasum
