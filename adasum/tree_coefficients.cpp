// SPDX-License-Identifier: Apache-2.0
#include "adasum/tree_coefficients.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "adasum/combine.h"
#include "adasum/kernels/rows.h"
#include "adasum/layout.h"

namespace adasum {
namespace {

// A dot product of two nodes, and the sum of the magnitudes that it is made of.
struct Product {
  double value = 0;
  double magnitude = 0;
};

class Leaves {
 public:
  Leaves(std::span<const double> gram, std::span<double> coefficients) : gram_(gram), coefficients_(coefficients) {}

  Product product(Range a, Range b) const {
    Product product;
    for (std::size_t i = a.begin; i < a.end; ++i) {
      for (std::size_t j = b.begin; j < b.end; ++j) {
        const double dot = gram_[kernels::pair_index(std::min(i, j), std::max(i, j), coefficients_.size())];
        const double term = coefficients_[i] * coefficients_[j] * dot;
        product.value += term;
        product.magnitude += std::abs(term);
      }
    }
    return product;
  }

  void scale(Range node, double factor) {
    for (std::size_t i = node.begin; i < node.end; ++i) coefficients_[i] *= factor;
  }

 private:
  std::span<const double> gram_;
  std::span<double> coefficients_;
};

}  // namespace

bool tree_coefficients(std::span<const double> gram, double least_norm, std::span<double> coefficients) {
  const std::size_t leaves = coefficients.size();
  assert(gram.size() == kernels::pairs_of(leaves));
  std::fill(coefficients.begin(), coefficients.end(), 1.0);
  Leaves tree(gram, coefficients);
  bool trusted = true;
  for (std::size_t distance = 1; distance < leaves; distance *= 2) {
    for (std::size_t begin = 0; begin + distance < leaves; begin += 2 * distance) {
      const Range a{begin, begin + distance};
      const Range b{a.end, std::min(a.end + distance, leaves)};
      const Product aa = tree.product(a, a);
      const Product bb = tree.product(b, b);
      for (const Product& norm : {aa, bb}) trusted = trusted && norm.value >= least_norm * norm.magnitude;
      const auto [ca, cb] = adasum::coefficients({.ab = tree.product(a, b).value, .aa = aa.value, .bb = bb.value});
      tree.scale(a, ca);
      tree.scale(b, cb);
    }
  }
  return trusted;
}

}  // namespace adasum
