// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tree_coefficients.h"

#include <gtest/gtest.h>

#include <vector>

#include "adasum/kernels/rows.h"
#include "tests/adasum/golden.h"
#include "tests/adasum/slow_tree.h"

namespace adasum::algorithms {
namespace {

using Vectors = std::vector<std::vector<double>>;

std::vector<double> gram_of(const Vectors& leaves) {
  std::vector<double> gram(kernels::pairs_of(leaves.size()));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = i; j < leaves.size(); ++j) {
      for (std::size_t k = 0; k < leaves[i].size(); ++k)
        gram[kernels::pair_index(i, j, leaves.size())] += leaves[i][k] * leaves[j][k];
    }
  }
  return gram;
}

struct Outcome {
  bool trusted = false;
  std::vector<double> result;
};

Outcome combined(const Vectors& leaves, double least_norm = 1e-9) {
  std::vector<double> coefficients(leaves.size());
  Outcome outcome{tree_coefficients(gram_of(leaves), least_norm, coefficients), {}};
  outcome.result.resize(leaves[0].size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t k = 0; k < outcome.result.size(); ++k)
      outcome.result[k] += coefficients[i] * leaves[i][k];
  }
  return outcome;
}

TEST(TreeCoefficients, MakeTheTreeOfAnyNumberOfLeaves) {
  for (std::size_t leaves = 1; leaves <= kernels::max_rows; ++leaves) {
    Vectors inputs;
    for (std::size_t i = 0; i < leaves; ++i) inputs.push_back(golden::input(static_cast<int>(i), 40));
    const auto wanted = slow::tree(inputs, {40});
    const auto [trusted, result] = combined(inputs);
    EXPECT_TRUE(trusted);
    for (std::size_t k = 0; k < 40; ++k) EXPECT_NEAR(result[k], wanted[k], 1e-14) << leaves << " leaves";
  }
}

TEST(TreeCoefficients, AreNotTrustedWhereNeighboursNearlyCancel) {
  const Vectors cancel = {{1, 2, 3}, {-1, -2, -3.000001}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_FALSE(combined(cancel).trusted);
  const Vectors far = {{1, 2, 3}, {-1, -2, -2}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_TRUE(combined(far).trusted);
  EXPECT_FALSE(combined(far, 0.5).trusted) << "as many digits as are asked for";
}

TEST(TreeCoefficients, LeaveZeroVectorsOut) {
  const auto [trusted, result] = combined({{0, 0}, {0, 0}, {3, 4}, {0, 0}});
  EXPECT_TRUE(trusted);
  EXPECT_EQ(result, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace adasum::algorithms
