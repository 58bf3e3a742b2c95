// SPDX-License-Identifier: Apache-2.0
// The properties that AdaSum has by its definition, in worlds of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "tests/adasum/slow_tree.h"

namespace adasum {
namespace {

// The result of AdaSum over the ranks' inputs, one tensor.
template <typename T>
std::vector<T> adasum_of(const std::vector<std::vector<T>>& inputs) {
  std::vector<T> result;
  run_ranks(static_cast<int>(inputs.size()), [&](Communicator& communicator) {
    std::vector<T> data = inputs[static_cast<std::size_t>(communicator.rank())];
    const std::vector<std::int64_t> counts = {static_cast<std::int64_t>(data.size())};
    allreduce<T>(data, counts, communicator);
    if (communicator.rank() == 0) result = data;
  });
  return result;
}

template <typename T>
std::vector<double> sum_of(const std::vector<std::vector<T>>& inputs) {
  std::vector<double> sum(inputs.front().size());
  for (const auto& input : inputs) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(input[i]);
  }
  return sum;
}

// Relative L2 error in units of T's epsilon.
template <typename T>
double error_in_eps(const std::vector<T>& result, const std::vector<double>& wanted) {
  double most = 0;  // squares must stay within the range of double
  for (const double value : wanted) most = std::max(most, std::abs(value));
  double error = 0;
  double length = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    error += std::pow(static_cast<double>(result[i]) / most - wanted[i] / most, 2);
    length += std::pow(wanted[i] / most, 2);
  }
  return std::sqrt(error / length) / static_cast<double>(std::numeric_limits<T>::epsilon());
}

// Calls visit(p, n) for worlds of p ranks and the vector lengths that other engines have been tested with.
void for_each_shape(const std::function<void(std::size_t, std::size_t)>& visit) {
  for (const std::size_t p : {2, 4, 8, 16}) {
    for (const std::size_t n : {20 * p - 17, 20 * p - 13, 2 * p + 1, p + 2}) visit(p, n);
  }
}

template <typename T>
void expect_orthogonal_sum(std::size_t p, std::size_t n) {
  std::vector<std::vector<T>> inputs(p, std::vector<T>(n));
  for (std::size_t r = 0; r < p; ++r) {  // rows of the discrete cosine transform
    for (std::size_t i = 0; i < n; ++i) {
      inputs[r][i] = static_cast<T>(
          std::cos(std::numbers::pi * static_cast<double>((2 * i + 1) * r) / (2.0 * static_cast<double>(n))));
    }
  }
  EXPECT_LE(error_in_eps(adasum_of(inputs), sum_of(inputs)), 4) << p << " ranks, " << n << " elements";
}

TEST(Orthogonal, VectorsAdd) {
  for_each_shape(expect_orthogonal_sum<float>);
  for_each_shape(expect_orthogonal_sum<double>);
}

// Rank r holds scale(r) * (some vector); these are parallel, so the result must be their mean.
template <typename T>
void expect_parallel_mean(std::size_t p, std::size_t n, const std::function<double(std::size_t)>& scale) {
  std::vector<std::vector<T>> inputs(p, std::vector<T>(n));
  for (std::size_t r = 0; r < p; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      inputs[r][i] = static_cast<T>(scale(r) * (1 + static_cast<double>(i % 7)));
    }
  }
  auto mean = sum_of(inputs);
  for (double& value : mean) value /= static_cast<double>(p);
  // In double the dot products' own rounding is visible.
  EXPECT_LE(error_in_eps(adasum_of(inputs), mean), sizeof(T) == 8 ? 8 : 4)
      << p << " ranks, " << n << " elements";
}

TEST(Parallel, VectorsAverage) {
  const auto scale = [](std::size_t r) { return static_cast<double>(r + 1) / 3; };
  for_each_shape([&](auto p, auto n) { expect_parallel_mean<float>(p, n, scale); });
  for_each_shape([&](auto p, auto n) { expect_parallel_mean<double>(p, n, scale); });
}

TEST(Parallel, VectorsOfOppositeSignsAverage) {
  const auto scale = [](std::size_t r) { return r % 2 == 0 ? 3.0 : -1.0; };
  for_each_shape([&](auto p, auto n) { expect_parallel_mean<float>(p, n, scale); });
}

// From the smallest normal number to the root of the largest.
template <typename T>
double wide_scale(std::size_t r) {
  const double low = std::log(static_cast<double>(std::numeric_limits<T>::min()));
  const double high = std::log(static_cast<double>(std::numeric_limits<T>::max())) / 2 - 5;
  return std::exp(low + (high - low) * static_cast<double>(r) / 15);
}

TEST(Parallel, FloatsOfLengthsFromTinyToHugeAverage) {
  for_each_shape([](auto p, auto n) { expect_parallel_mean<float>(p, n, wide_scale<float>); });
}

TEST(Parallel, DoublesAverageDownTo1e140) {
  for_each_shape([](auto p, auto n) {
    expect_parallel_mean<double>(p, n, [](std::size_t r) { return 1e-140 * static_cast<double>(r + 1); });
  });
}

TEST(Parallel, DenormalFloatsAverageExactly) {
  for (const std::size_t p : {2, 4, 8, 16}) {
    const float unit = std::numeric_limits<float>::denorm_min() * static_cast<float>(2 * p);
    std::vector<std::vector<float>> inputs;
    for (std::size_t r = 0; r < p; ++r) inputs.emplace_back(9, unit * static_cast<float>(r + 1));
    EXPECT_EQ(adasum_of(inputs), std::vector<float>(9, unit * static_cast<float>(p + 1) / 2)) << p;
  }
}

// Beyond the range where squares of doubles are doubles.
TEST(Parallel, DoublesOfAnyLengthAverage) {
  for_each_shape([](auto p, auto n) {
    for (const double unit : {1e-307, 1e-160, 1e160, 1e300}) {
      expect_parallel_mean<double>(p, n, [&](std::size_t r) { return unit * static_cast<double>(r + 1); });
    }
    expect_parallel_mean<double>(p, n,
                                 [](std::size_t r) { return std::pow(10.0, 20 * static_cast<double>(r)); });
  });
}

// b = -a + r / 1e7: as a sum of dot products, |a + b|^2 loses all its digits.
TEST(Cancellation, LeavesTheDigitsThatATreeHas) {
  for (const Algorithm algorithm : {Algorithm::gram, Algorithm::shared, Algorithm::tree}) {
    std::vector<std::vector<double>> inputs;
    for (int r = 0; r < 4; ++r) inputs.push_back(golden::input(r, 50));
    for (std::size_t i = 0; i < 50; ++i) inputs[1][i] = -inputs[0][i] + 1e-7 * inputs[1][i];
    const auto wanted = slow::tree(inputs, {50});
    run_ranks(4, [&](Communicator& communicator) {
      auto data = inputs[static_cast<std::size_t>(communicator.rank())];
      const std::vector<std::int64_t> counts = {50};
      EXPECT_EQ(allreduce<double>(data, counts, communicator, {.algorithm = algorithm}), std::nullopt);
      for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(data[i], wanted[i], 1e-7);
    });
  }
}

TEST(Zeros, AddNothing) {
  for (const std::size_t p : {2, 4, 8, 16}) {
    std::vector<std::vector<float>> inputs(p, std::vector<float>(5));
    EXPECT_EQ(adasum_of(inputs), std::vector<float>(5)) << p;
    for (std::size_t r = 0; r < p; ++r) {
      auto one = inputs;
      one[r] = {1, -2, 3e-45f, 0, 1e30f};
      EXPECT_EQ(adasum_of(one), one[r]) << "only rank " << r << " of " << p << " has a gradient";
    }
  }
}

TEST(Zeros, InOneHalfOfAVectorChangeNothingElse) {
  const auto result = adasum_of<double>({{-1, 0, -2, 0}, {-1, -1, 0, -3}});
  const std::vector<double> wanted = {-1.85454545, -0.95454545, -1.8, -2.86363636};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(result[i], wanted[i], 1e-8);
}

TEST(Homogeneity, ScalingTheInputsScalesTheResult) {
  std::vector<std::vector<double>> inputs;
  for (int r = 0; r < 8; ++r) inputs.push_back(golden::input(r, 37));
  auto wanted = adasum_of(inputs);
  for (double& value : wanted) value *= 0x1p-20;
  for (auto& input : inputs) {
    for (double& value : input) value *= 0x1p-20;
  }
  EXPECT_EQ(adasum_of(inputs), wanted) << "a power of two scales without rounding";
}

TEST(Symmetry, APairMayBeSwapped) {
  const auto a = golden::input(2, 37);
  const auto b = golden::input(5, 37);
  EXPECT_LE(error_in_eps(adasum_of<double>({a, b}), adasum_of<double>({b, a})), 4);
}

TEST(SmallTensors, KeepTheirElementsApart) {
  const std::vector<std::vector<double>> inputs(4, {1, 5});
  EXPECT_EQ(adasum_of(inputs), inputs.front()) << "two elements on four ranks";
}

}  // namespace
}  // namespace adasum
