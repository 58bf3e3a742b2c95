// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/pair_coefficients.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "adasum/kernels/rows.h"

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

}  // namespace
}  // namespace adasum::algorithms
