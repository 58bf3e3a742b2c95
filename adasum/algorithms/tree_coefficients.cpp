// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tree_coefficients.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "adasum/kernels/rows.h"

namespace adasum::algorithms {
namespace {

double coefficient(double dot, double squared_norm) {
  // Not "< smallest ? 1 : ...": a NaN must propagate, not become 1.
  return squared_norm < smallest_squared_norm ? 1.0 : 1.0 - dot / squared_norm / 2;
}

}  // namespace

Coefficients pair_coefficients(const Dots& dots) {
  return {coefficient(dots.ab, dots.aa), coefficient(dots.ab, dots.bb)};
}

namespace {

// A dot product of two nodes, and the sum of the magnitudes of its terms (factors times dot products of
// leaves).
struct Product {
  double value = 0;
  double magnitude = 0;

  void add(const Product& term, double factor) {
    value += factor * term.value;
    magnitude += std::abs(factor) * term.magnitude;
  }
};

// The dot products of every two nodes of one tree level. pair_up() turns them into those of the next level.
class ProductTable {
 public:
  ProductTable(std::span<const double> gram, std::size_t leaves) : nodes_(leaves) {
    for (std::size_t i = 0; i < leaves; ++i) {
      for (std::size_t j = i; j < leaves; ++j) {
        const double dot = gram[kernels::pair_index(i, j, leaves)];
        products_[i][j] = {dot, std::abs(dot)};
      }
    }
  }

  std::size_t nodes() const { return nodes_; }

  /// factors[i]: the coefficient of node i in the AdaSum of its pair.
  void pair_up(std::span<const double> factors) {
    const std::size_t pairs = (nodes_ + 1) / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      for (std::size_t j = i; j < pairs; ++j) products_[i][j] = product_of_pairs(i, j, factors);
    }
    nodes_ = pairs;
  }

  const Product& operator()(std::size_t i, std::size_t j) const { return products_[i][j]; }

 private:
  // Reads only entries from (2i, 2j) on. These have not been overwritten when (i, j) is written.
  Product product_of_pairs(std::size_t i, std::size_t j, std::span<const double> factors) const {
    Product product;
    for (std::size_t a = 2 * i; a < std::min(2 * i + 2, nodes_); ++a) {
      for (std::size_t b = 2 * j; b < std::min(2 * j + 2, nodes_); ++b)
        product.add(products_[std::min(a, b)][std::max(a, b)], factors[a] * factors[b]);
    }
    return product;
  }

  std::size_t nodes_;
  std::array<std::array<Product, kernels::max_rows>, kernels::max_rows> products_;  // [i][j], i <= j
};

void scale(std::span<double> coefficients, double factor) {
  for (double& coefficient : coefficients) coefficient *= factor;
}

}  // namespace

bool tree_coefficients(std::span<const double> gram, double least_norm, std::span<double> coefficients) {
  const std::size_t leaves = coefficients.size();
  assert(leaves <= kernels::max_rows && gram.size() == kernels::pairs_of(leaves));
  std::fill(coefficients.begin(), coefficients.end(), 1.0);
  ProductTable level(gram, leaves);
  bool trusted = true;
  for (std::size_t distance = 1; level.nodes() > 1; distance *= 2) {
    std::array<double, kernels::max_rows> factors;
    factors.fill(1.0);
    for (std::size_t a = 0; a + 1 < level.nodes(); a += 2) {
      const Product& aa = level(a, a);
      const Product& bb = level(a + 1, a + 1);
      for (const Product* norm : {&aa, &bb}) trusted = trusted && norm->value >= least_norm * norm->magnitude;
      const auto [ca, cb] = pair_coefficients({.ab = level(a, a + 1).value, .aa = aa.value, .bb = bb.value});
      const std::size_t middle = (a + 1) * distance;
      scale(coefficients.subspan(a * distance, distance), factors[a] = ca);
      scale(coefficients.subspan(middle, std::min(distance, leaves - middle)), factors[a + 1] = cb);
    }
    level.pair_up(factors);
  }
  return trusted;
}

}  // namespace adasum::algorithms
