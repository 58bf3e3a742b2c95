// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/reducer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/models/weights.h"

namespace adarun::trainer {
namespace {

using Values = std::vector<float>;

/// This rank's part of `of_ranks` after they are reduced.
struct Reduced {
  Values values;
  std::optional<int> not_finite;
};

Reduced reduced(adasum::Communicator& communicator, Reduce reduce, const std::vector<Values>& of_ranks) {
  const Model model = make_model("two",
                                 [](Layers& layers, const torch::Tensor& images, std::int64_t) {
                                   return images.mean() * layers.parameter("w", {2}, constant(0));
                                 },
                                 {});
  Weights weights(model, 1);
  const ReduceContext context(communicator, {reduce, 1});
  const auto reducer = make_reducer(context, weights);
  std::ranges::copy(of_ranks[static_cast<std::size_t>(communicator.rank())], weights.gradients().begin());
  const auto not_finite = reducer->reduce();
  return {{weights.gradients().begin(), weights.gradients().end()}, not_finite};
}

TEST(Reducer, MakesTheGradientsOfAllRanksOne) {
  // Orthogonal ones add up; of two equal ones AdaSum takes one.
  const std::vector<Values> orthogonal = {{2, 0}, {0, 4}};
  const std::vector<Values> same = {{2, 4}, {2, 4}};
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    EXPECT_EQ(reduced(communicator, Reduce::mean, orthogonal).values, (Values{1, 2}));
    EXPECT_EQ(reduced(communicator, Reduce::sum, orthogonal).values, (Values{2, 4}));
    EXPECT_EQ(reduced(communicator, Reduce::adasum, orthogonal).values, (Values{2, 4}));
    EXPECT_EQ(reduced(communicator, Reduce::adasum, same).values, (Values{2, 4}));
    const auto rank = static_cast<std::size_t>(communicator.rank());
    EXPECT_EQ(reduced(communicator, Reduce::none, orthogonal).values, orthogonal[rank]);
  });
}

/// The gradient of a weight of two rows on rank 0, after a reduction.
Values reduced_rows(const Reduction& how, const std::vector<Values>& of_ranks) {
  Values result;
  adasum::run_ranks(static_cast<int>(of_ranks.size()), [&](adasum::Communicator& communicator) {
    const Model model = make_model("four",
                                   [](Layers& layers, const torch::Tensor& images, std::int64_t) {
                                     return images.mean() * layers.parameter("w", {2, 2}, constant(0));
                                   },
                                   {});
    Weights weights(model, 1);
    const ReduceContext context(communicator, how);
    const auto reducer = make_reducer(context, weights);
    std::ranges::copy(of_ranks[static_cast<std::size_t>(communicator.rank())], weights.gradients().begin());
    EXPECT_EQ(reducer->reduce(), std::nullopt);
    if (communicator.rank() == 0) result.assign(weights.gradients().begin(), weights.gradients().end());
  });
  return result;
}

TEST(Reducer, TakesEachRowForItself) {
  // The first rows are orthogonal, the second ones equal.
  const std::vector<Values> of_ranks = {{1, 0, 0, 4}, {0, 1, 0, 4}};
  EXPECT_EQ(reduced_rows({Reduce::adasum, 1, adasum::GroupGain::none, AdasumPer::row}, of_ranks),
            (Values{1, 1, 0, 4}));
  const Values whole = reduced_rows({Reduce::adasum, 1}, of_ranks);
  EXPECT_FLOAT_EQ(whole[0], 1 - 16.0F / 34) << "the dot product of the second rows";
}

TEST(Reducer, ScalesTheMeansOfGroupsByTheirSpread) {
  // Orthogonal in groups and between them: with the gain all are added up.
  const std::vector<Values> of_ranks = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}};
  EXPECT_EQ(reduced_rows({Reduce::adasum, 2}, of_ranks), (Values{1, 1, 1, 1}));
  EXPECT_EQ(reduced_rows({Reduce::adasum, 2, adasum::GroupGain::spread}, of_ranks), (Values{2, 2, 2, 2}));
  // By rows: equal in the first row of the first group.
  const std::vector<Values> rows = {{2, 2, 0, 2}, {2, 2, 2, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(reduced_rows({Reduce::adasum, 2, adasum::GroupGain::spread, AdasumPer::row}, rows),
            (Values{2, 2, 2, 2}));
}

TEST(Reducer, NamesTheRankOfGradientsThatAreNotFiniteAndLeavesAllAsTheyAre) {
  const std::vector<Values> of_ranks = {{2, 0}, {0, std::numeric_limits<float>::infinity()}};
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    for (const Reduce reduce : {Reduce::adasum, Reduce::mean, Reduce::sum, Reduce::none}) {
      const Reduced found = reduced(communicator, reduce, of_ranks);
      EXPECT_EQ(found.not_finite, 1);
      EXPECT_EQ(found.values, of_ranks[static_cast<std::size_t>(communicator.rank())]);
    }
  });
}

}  // namespace
}  // namespace adarun::trainer
