// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/learner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/base/collective.h"

namespace adarun::trainer {
namespace {

using Values = std::vector<float>;

/// Two weights that start as 0, sgd, one rank.
class OfOneRank : public testing::Test {
 protected:
  Learner learner(const LearnerOptions& options) {
    return {weights, make_optimizer({"sgd"}, {{2, true}}), context, options};
  }

  /// One step with these gradients, as the backward pass computes them for a loss times `scale`.
  std::optional<int> step(Learner& learner, const Values& gradient,
                          adasum::StepPosition place = adasum::StepPosition::inside) {
    const auto scale = static_cast<float>(learner.begin_step());
    for (std::size_t i = 0; i < 2; ++i) weights.gradients()[i] += scale * gradient[i];
    return learner.end_step(1.0F, place);
  }

  Values now() { return {weights.values().begin(), weights.values().end()}; }

  Model model = make_model("two",
                           [](Layers& layers, const torch::Tensor& images, std::int64_t) {
                             return images.mean() * layers.parameter("w", {2}, constant(0));
                           },
                           {});
  Weights weights{model, 1};
  SingleProcessCommunicator alone;
  ReduceContext context{alone, {}};
};

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST_F(OfOneRank, StepsAtOnce) {
  Learner of = learner({});
  step(of, {1, 2});
  EXPECT_EQ(now(), (Values{-1, -2}));
  step(of, {1, 0});
  EXPECT_EQ(now(), (Values{-2, -2}));
  EXPECT_EQ(of.counts().steps_taken, std::vector<std::int64_t>{2});
}

TEST_F(OfOneRank, DividesByTheLossScale) {
  Learner of = learner({.loss_scale = {1024}});
  step(of, {1, 2});
  EXPECT_EQ(now(), (Values{-1, -2}));
}

/// The reference adds decay before it divides by the scale, and has multiplied decay by the scale before
/// that.
TEST_F(OfOneRank, DecaysByAsMuchAtEveryLossScale) {
  constexpr float decay = 0.25F;
  for (const float scale : {1.0F, 1024.0F}) {
    std::ranges::fill(weights.values(), 2.0F);
    OptimizerOptions optimizer{"sgd"};
    optimizer.weight_decay = decay;
    Learner of{weights, make_optimizer(optimizer, {{2, true}}), context, {.loss_scale = {scale}}};
    step(of, {1, 3});
    const auto reference = [&](float gradient) {
      return 2 - (scale * gradient + (scale * decay) * 2) / scale;
    };
    EXPECT_EQ(now(), (Values{reference(1), reference(3)})) << scale;
  }
}

TEST_F(OfOneRank, TakesTheMeanOfLocalSteps) {
  Learner of = learner({.local_steps = 3, .loss_scale = {2}});
  step(of, {3, 0});
  step(of, {0, 3});
  EXPECT_EQ(now(), (Values{0, 0}));
  EXPECT_FALSE(of.steps().is_together());
  step(of, {3, 6});
  EXPECT_EQ(now(), (Values{-2, -3}));
  EXPECT_TRUE(of.steps().is_together());
}

TEST_F(OfOneRank, TakesWhatIsThereAtTheEndOfAnEpoch) {
  Learner of = learner({.local_steps = 3});
  step(of, {3, 0});
  step(of, {1, 4}, adasum::StepPosition::last);
  EXPECT_EQ(now(), (Values{-2, -2}));
  step(of, {9, 9});
  EXPECT_EQ(now(), (Values{-2, -2})) << "the next epoch begins a count of its own";
}

TEST_F(OfOneRank, LeavesOutWhatIsNotFinite) {
  Learner of = learner({.loss_scale = {8, true}});
  EXPECT_EQ(step(of, {infinity, 1}), 0);
  EXPECT_TRUE(of.drop());
  EXPECT_EQ(of.counts().rounds, 1);
  EXPECT_EQ(now(), (Values{0, 0}));
  EXPECT_EQ(of.steps().loss_scale().value(), 4);
  EXPECT_EQ(of.counts().steps_taken, std::vector<std::int64_t>{0});
  EXPECT_EQ(step(of, {1, 1}), std::nullopt);
  EXPECT_EQ(now(), (Values{-1, -1}));
}

TEST_F(OfOneRank, CannotGoOnWhereNothingMayBeLeftOut) {
  Learner of = learner({});
  EXPECT_EQ(step(of, {infinity, 1}), 0);
  EXPECT_FALSE(of.drop());
  EXPECT_EQ(of.counts().rounds, 0) << "others that continue without a rank take the step again";
}

/// As the reducer does with gradients: each row has its own gain and its own AdaSum.
TEST(Learner, StepsByRowsOfGroupsTimesTheirSpreadBeforeItCombinesDeltas) {
  // The first rows of the first group are equal, the second ones orthogonal.
  const std::vector<Values> of_ranks = {{2, 2, 0, 2}, {2, 2, 2, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  const Model model = make_model("four",
                                 [](Layers& layers, const torch::Tensor& images, std::int64_t) {
                                   return images.mean() * layers.parameter("w", {2, 2}, constant(0));
                                 },
                                 {});
  for (const AdasumPer per : {AdasumPer::row, AdasumPer::tensor}) {
    adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
      const ReduceContext context(communicator, {Reduce::adasum, 2, adasum::GroupGain::spread, per});
      Weights weights(model, 1);
      Learner learner{weights, make_optimizer({"sgd"}, {{4, true}}), context, {AdasumOn::delta}};
      learner.begin_step();
      std::ranges::copy(of_ranks[static_cast<std::size_t>(communicator.rank())], weights.gradients().begin());
      EXPECT_EQ(learner.end_step(1.0F, adasum::StepPosition::inside), std::nullopt);
      // The whole tensor: a mean square of 12 beside a mean of (2, 2, 1, 1).
      const float gain = 12.0F / 10;
      const Values wanted =
          per == AdasumPer::row ? Values{-2, -2, -2, -2} : Values{-2 * gain, -2 * gain, -gain, -gain};
      EXPECT_EQ((Values{weights.values().begin(), weights.values().end()}), wanted);
    });
  }
}

TEST_F(OfOneRank, ChangesNothingIfTheVoteOnAStepThrows) {
  Learner of = learner({.loss_scale = {.scale = 1024, .dynamic = true}});
  step(of, {1, 2});
  const LearnerCounts counts = of.counts();
  const Values values = now();
  of.ask_before_steps([] { throw std::runtime_error("a rank has ended"); });
  EXPECT_THROW(step(of, {1, 2}), std::runtime_error);
  EXPECT_EQ(of.counts(), counts);

  Learner other = learner({.loss_scale = {.scale = 1024, .dynamic = true}});
  other.restore(counts);
  other.ask_before_steps([] { throw std::runtime_error("a rank has ended"); });
  EXPECT_TRUE(step(other, {infinity, 2}));
  EXPECT_THROW(other.drop(), std::runtime_error);
  EXPECT_EQ(other.counts(), counts);
  EXPECT_EQ(other.steps().loss_scale().value(), 1024);
  EXPECT_EQ(now(), values);
}

}  // namespace
}  // namespace adarun::trainer
