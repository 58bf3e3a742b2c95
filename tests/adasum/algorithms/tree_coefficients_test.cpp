// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "adasum/algorithms/tree_coefficients.h"
#include "adasum/kernels/rows.h"
#include "tests/adasum/slow_tree.h"

namespace adasum::algorithms {
namespace {

template <typename T>
std::vector<T> pair(const std::vector<T>& a, const std::vector<T>& b) {
  const std::array<const T*, 2> rows = {a.data(), b.data()};
  std::array<double, 3> dots = {};
  kernels::gram<T>(rows, a.size(), dots);
  const auto [ca, cb] = pair_coefficients({.ab = dots[1], .aa = dots[0], .bb = dots[2]});
  std::vector<T> result(a.size());
  T* out = result.data();
  kernels::mix<T>(rows, std::array{ca, cb}, a.size(), std::span(&out, 1));
  return result;
}

TEST(Pair, GivesTheKnownResults) {
  struct Case {
    std::vector<double> a, b, wanted;
  };
  const std::vector<Case> cases = {
      {{1, 0}, {0, 1}, {1, 1}},
      {{1, 0}, {1, 1}, {1.25, 0.75}},
      {{3, 4}, {4, 3}, {3.64, 3.64}},
      {{2, 0}, {-1, 0}, {0.5, 0}},
      {{1, 0}, {-1, 0}, {0, 0}},
      {{0, 0}, {7, -8}, {7, -8}},
      {{7, -8}, {0, 0}, {7, -8}},
      {{0, 0}, {0, 0}, {0, 0}},
      {{}, {}, {}},
      {{4, 5, 6}, {7, 8, 9}, {5.630137903333779, 6.523497121435266, 7.416856339536752}},
      {{1, 2, 3, 4}, {2, -1, 0.5, 1}, {2.0283333333, 1.2566666667, 3.005, 4.1933333333}}};
  for (const Case& known : cases) {
    const auto result = pair(known.a, known.b);
    ASSERT_EQ(result.size(), known.wanted.size());
    for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], known.wanted[i], 1e-9);
  }
}

TEST(Pair, TakesFloatsWhoseCoefficientsExceedFloat) {
  const auto result = pair<float>({1e-44f, 0}, {1, 0});
  EXPECT_EQ(result, (std::vector<float>{0.5f, 0}));
}

TEST(Coefficients, AreOneForSquaredNormsThatUnderflow) {
  EXPECT_EQ(pair_coefficients({.ab = 0, .aa = 0, .bb = 4}), (Coefficients{1, 1}));
  EXPECT_EQ(pair_coefficients({.ab = 1e-300, .aa = 1e-300, .bb = 1e-300}), (Coefficients{1, 1}));
}

TEST(Coefficients, AreExactForTheSquareOfTheSmallestFloat) {
  const double tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(pair_coefficients({.ab = tiny * tiny, .aa = tiny * tiny, .bb = tiny * tiny}),
            (Coefficients{0.5, 0.5}));
}

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
