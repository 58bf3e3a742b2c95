// SPDX-License-Identifier: Apache-2.0
#include "adasum/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "tests/adasum/slow_tree.h"

namespace adasum {
namespace {

using slow::Vector;

constexpr std::size_t sizes[] = {40, 3, 17};
constexpr std::size_t all = 60;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<std::span<double>> tensors_in(std::span<double> data) {
  return {data.first(sizes[0]), data.subspan(sizes[0], sizes[1]), data.last(sizes[2])};
}

// The diagnostics of one tensor of all participants, computed from the definitions.
void expect_tensor(const TensorDiagnostics& got, const std::vector<Vector>& inputs) {
  const std::size_t p = inputs.size();
  const Vector combined = slow::tree(inputs, {static_cast<std::int64_t>(inputs[0].size())});
  Vector sum(combined.size());
  Vector mixed(combined.size());
  double squares = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const double square = dot(inputs[i], inputs[i]);
    squares += square;
    EXPECT_NEAR(got.norms[i], std::sqrt(square), 1e-12 * std::sqrt(square));
    for (std::size_t j = 0; j < p; ++j) {
      const double cosine = dot(inputs[i], inputs[j]) / std::sqrt(square * dot(inputs[j], inputs[j]));
      EXPECT_NEAR(got.cosines[i * p + j], cosine, 1e-12);
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k] += inputs[i][k];
      mixed[k] += got.coefficients[i] * inputs[i][k];
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(mixed[k], combined[k], 1e-10);
  EXPECT_NEAR(got.to_sum, std::sqrt(dot(combined, combined) / dot(sum, sum)), 1e-10);
  EXPECT_NEAR(got.orthogonality, dot(combined, combined) / squares, 1e-10);
  EXPECT_TRUE(got.trusted);
}

void expect_diagnostics(const std::vector<TensorDiagnostics>& got, std::size_t ranks,
                        std::size_t group_size) {
  std::vector<Vector> inputs;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    inputs.push_back(golden::input(static_cast<int>(rank), all));
  inputs = slow::group_means(inputs, group_size);
  ASSERT_EQ(got.size(), std::size(sizes));
  std::size_t begin = 0;
  for (std::size_t t = 0; t < got.size(); ++t) {
    std::vector<Vector> tensor;
    for (const Vector& input : inputs) {
      const auto first = input.begin() + static_cast<std::ptrdiff_t>(begin);
      tensor.emplace_back(first, first + static_cast<std::ptrdiff_t>(sizes[t]));
    }
    expect_tensor(got[t], tensor);
    begin += sizes[t];
  }
}

TEST(Diagnostics, AreThoseOfTheDefinition) {
  for (const int ranks : {2, 3, 4, 8, 16}) {
    for (const int group_size : {1, 2}) {
      if (ranks % group_size != 0) continue;
      for (const Algorithm algorithm : {Algorithm::shared, Algorithm::gram}) {
        run_ranks(ranks, [&](Communicator& communicator) {
          auto data = golden::input(communicator.rank(), all);
          Engine engine(
              communicator,
              {.group_size = group_size, .algorithm = algorithm, .worlds = Worlds::any, .diagnostics = true});
          Plan<double> plan(engine, tensors_in(data));
          EXPECT_TRUE(plan.diagnostics().empty()) << "before the first run";
          EXPECT_EQ(plan.run(), std::nullopt);
          expect_diagnostics(plan.diagnostics(), static_cast<std::size_t>(ranks),
                             static_cast<std::size_t>(group_size));
        });
      }
    }
  }
}

TEST(Diagnostics, OfBucketsAreInTheOrderOfTensors) {
  run_ranks(4, [](Communicator& communicator) {
    auto data = golden::input(communicator.rank(), all);
    Engine engine(communicator, {.diagnostics = true});
    BucketPlan<double> plan(engine, tensors_in(data), 1);
    EXPECT_EQ(plan.wait(), std::nullopt);
    expect_diagnostics(plan.diagnostics(), 4, 1);
  });
}

TEST(Diagnostics, AreNotThereAfterNaNOrWithoutAllDotProducts) {
  run_ranks(4, [](Communicator& communicator) {
    for (const Algorithm algorithm : {Algorithm::shared, Algorithm::gram, Algorithm::tree}) {
      auto data = golden::input(communicator.rank(), all);
      Engine engine(communicator, {.algorithm = algorithm, .diagnostics = true});
      Plan<double> plan(engine, tensors_in(data));
      EXPECT_EQ(plan.run(), std::nullopt);
      EXPECT_EQ(plan.diagnostics().empty(), algorithm == Algorithm::tree);
      data[5] = communicator.rank() == 2 ? NAN : 1;
      EXPECT_EQ(plan.run(), 2);
      EXPECT_TRUE(plan.diagnostics().empty());
    }
  });
}

TEST(Diagnostics, AreNotThereUnlessAskedFor) {
  run_ranks(4, [](Communicator& communicator) {
    auto data = golden::input(communicator.rank(), all);
    Engine engine(communicator);
    Plan<double> plan(engine, tensors_in(data));
    EXPECT_EQ(plan.run(), std::nullopt);
    EXPECT_TRUE(plan.diagnostics().empty());
  });
}

TEST(Diagnostics, OfZerosAreZeros) {
  const auto zeros = diagnostics_of(Vector(3), 2);
  ASSERT_EQ(zeros.size(), 1U);
  EXPECT_EQ(zeros[0].norms, Vector(2));
  EXPECT_EQ(zeros[0].cosines, Vector(4));
  EXPECT_EQ(zeros[0].coefficients, Vector(2, 1));
  EXPECT_EQ(zeros[0].to_sum, 0);
  EXPECT_EQ(zeros[0].orthogonality, 0);
}

TEST(Diagnostics, SayWhereNeighboursCancel) {
  EXPECT_FALSE(diagnostics_of(Vector{1, -1, 0, 1, 0, 1}, 3)[0].trusted);
  EXPECT_TRUE(diagnostics_of(Vector{1, 0, 0, 1, 0, 1}, 3)[0].trusted);
}

}  // namespace
}  // namespace adasum
