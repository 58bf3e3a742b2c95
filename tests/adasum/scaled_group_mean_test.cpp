// SPDX-License-Identifier: Apache-2.0
#include "adasum/scaled_group_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "adasum/communicators/thread_communicator.h"

namespace adasum {
namespace {

using Vector = std::vector<double>;

TEST(SpreadGain, GoesFromOneForEqualVectorsToTheirNumberForOrthogonalOnes) {
  EXPECT_EQ(spread_gain(4, 4, 8), 1);
  EXPECT_EQ(spread_gain(4, 0.5, 8), 8);
  EXPECT_EQ(spread_gain(4, 2, 8), 2);
  EXPECT_EQ(spread_gain(4, 1e-9, 8), 8) << "they cancel each other";
  EXPECT_EQ(spread_gain(0, 0, 8), 1);
  EXPECT_EQ(spread_gain(4, 0, 8), 1);
}

/// Two groups of two ranks, two tensors of two values each.
Vector after(const std::vector<Vector>& of_ranks, GroupGain gain, std::optional<int>* not_finite = nullptr) {
  std::vector<Vector> results(4);
  run_ranks(4, [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    Vector values = of_ranks[rank];
    Engine engine(communicator, {.group_size = 2, .group_gain = gain});
    ScaledGroupMean<double> mean(engine, {std::span(values).first(2), std::span(values).last(2)});
    const auto found = mean.run();
    if (not_finite != nullptr && rank == 0) *not_finite = found;
    results[rank] = values;
  });
  EXPECT_EQ(results[2], results[3]);
  return results[0] == results[1] ? results[0] : Vector{};
}

TEST(ScaledGroupMean, ScalesEachTensorByTheSpreadOfItsGroup) {
  // Orthogonal in the first tensor, equal in the second.
  const std::vector<Vector> of_ranks = {{2, 0, 3, 4}, {0, 2, 3, 4}, {1, 1, 1, 1}, {5, 5, 5, 5}};
  EXPECT_EQ(after(of_ranks, GroupGain::none), (Vector{1, 1, 3, 4}));
  EXPECT_EQ(after(of_ranks, GroupGain::spread), (Vector{2, 2, 3, 4}));
}

TEST(ScaledGroupMean, ScalesTwoVectorsAtSixtyDegreesByFourThirds) {
  // Two of length 1 at 60 degrees: |mean|^2 is 3/4. AdaSum of the two would be 3/2 of their mean.
  const double sine = std::sqrt(3.0) / 2;
  const Vector got = after({{1, 0, 0, 0}, {0.5, sine, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}, GroupGain::spread);
  EXPECT_NEAR(got[0], 0.75 * 4 / 3, 1e-15);
  EXPECT_NEAR(got[1], sine / 2 * 4 / 3, 1e-15);
}

TEST(ScaledGroupMean, NamesTheRankOfItsGroupThatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::optional<int> not_finite;
  std::vector<Vector> of_ranks = {{2, 0, 3, 4}, {2, 0, infinity, 4}, {1, 1, 1, 1}, {1, 1, 1, 1}};
  after(of_ranks, GroupGain::spread, &not_finite);
  EXPECT_EQ(not_finite, 1);
}

}  // namespace
}  // namespace adasum
