// SPDX-License-Identifier: Apache-2.0
// Steps of all ranks by gradients and by deltas, compared with the same training in one process, serial, in
// double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/delta_plan.h"
#include "adasum/steps/delta_steps.h"
#include "adasum/steps/gradient_steps.h"
#include "adasum/steps/momentum.h"
#include "adasum/types/layout.h"
#include "tests/adasum/slow_tree.h"

namespace adasum {
namespace {

using slow::Vector;

const std::vector<std::int64_t> counts = {3, 0, 4};
constexpr std::size_t size = 7;
constexpr double rate = 0.1;
constexpr double momentum = 0.9;

// The derivative at `weight` of the function that `rank` minimizes.
double slope(double weight, int rank, int step, std::size_t i) {
  return 0.3 * weight + std::sin(static_cast<double>(step + 1) * 0.7 * static_cast<double>(rank + 1) +
                                 static_cast<double>(i));
}

struct Training {
  int local_steps = 1;
  double scale = 1;
  int rounds = 4;
};

// One rank of the reference.
struct Learner {
  Vector weights = Vector(size, 1.0);
  Vector velocity = Vector(size);

  void step(const Vector& gradient) {
    for (std::size_t i = 0; i < size; ++i) {
      velocity[i] = momentum * velocity[i] + gradient[i];
      weights[i] -= rate * velocity[i];
    }
  }

  Vector slopes(int rank, int step) const {
    Vector all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = slope(weights[i], rank, step, i);
    return all;
  }
};

Vector slow_by_gradient(int ranks, const Training& training) {
  Learner learner;
  for (int round = 0; round < training.rounds; ++round) {
    std::vector<Vector> means;
    for (int rank = 0; rank < ranks; ++rank) {
      Vector& mean = means.emplace_back(size);
      for (int local = 0; local < training.local_steps; ++local) {
        const Vector slopes = learner.slopes(rank, round * training.local_steps + local);
        for (std::size_t i = 0; i < size; ++i) mean[i] += slopes[i] / training.local_steps;
      }
    }
    learner.step(slow::tree(means, counts));
  }
  return learner.weights;
}

Vector slow_by_delta(int ranks, const Training& training) {
  std::vector<Learner> learners(static_cast<std::size_t>(ranks));
  for (int round = 0; round < training.rounds; ++round) {
    const Vector before = learners[0].weights;
    std::vector<Vector> deltas;
    for (int rank = 0; rank < ranks; ++rank) {
      Learner& learner = learners[static_cast<std::size_t>(rank)];
      for (int local = 0; local < training.local_steps; ++local)
        learner.step(learner.slopes(rank, round * training.local_steps + local));
      Vector& delta = deltas.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) delta[i] = before[i] - learner.weights[i];
    }
    const Vector combined = slow::tree(deltas, counts);
    for (Learner& learner : learners) {
      for (std::size_t i = 0; i < size; ++i) learner.weights[i] = before[i] - combined[i];
    }
  }
  return learners[0].weights;
}

// One rank of the engine.
template <typename T>
class Rank {
 public:
  Rank(Communicator& communicator, bool by_delta, const StepOptions& options)
      : rank_(communicator.rank()),
        engine_(communicator),
        optimizer_(tensors(weights_), tensors(gradients_), {T(momentum)}) {
    if (by_delta) {
      const LocalState<T> state{tensors(weights_), optimizer_.state()};
      steps_ = std::make_unique<DeltaSteps<T>>(engine_, state, tensors(gradients_), options);
    } else {
      steps_ = std::make_unique<GradientSteps<T>>(engine_, tensors(gradients_), options);
    }
  }

  std::optional<int> step(int number, double spoil = 0, StepPosition position = StepPosition::inside) {
    const double scale = steps_->begin();
    for (std::size_t i = 0; i < size; ++i)
      gradients_[i] +=
          static_cast<T>(scale * slope(static_cast<double>(weights_[i]), rank_, number, i) + spoil);
    return steps_->end([&] { optimizer_.step(T(rate)); }, position);
  }

  const std::vector<T>& weights() const { return weights_; }
  Steps<T>& steps() { return *steps_; }
  std::vector<T> velocity() {
    std::vector<T> all;
    for (const std::span<T> part : optimizer_.state()) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

 private:
  static std::vector<std::span<T>> tensors(std::vector<T>& all) { return tensors_of(std::span(all), counts); }

  int rank_;
  std::vector<T> weights_ = std::vector<T>(size, 1);
  std::vector<T> gradients_ = std::vector<T>(size, 7);  // to be cleared
  Engine engine_;
  Momentum<T> optimizer_;
  std::unique_ptr<Steps<T>> steps_;
};

template <typename T>
void expect_near(const std::vector<T>& got, const Vector& wanted) {
  for (std::size_t i = 0; i < size; ++i)
    EXPECT_NEAR(static_cast<double>(got[i]), wanted[i],
                20 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

template <typename T>
void expect_reference(int ranks, bool by_delta, const Training& training) {
  const Vector wanted = by_delta ? slow_by_delta(ranks, training) : slow_by_gradient(ranks, training);
  run_ranks(ranks, [&](Communicator& communicator) {
    Rank<T> rank(communicator, by_delta, {training.local_steps, {training.scale}});
    for (int step = 0; step < training.rounds * training.local_steps; ++step) {
      EXPECT_EQ(rank.step(step), std::nullopt);
      EXPECT_EQ(rank.steps().is_together(), (step + 1) % training.local_steps == 0);
    }
    expect_near(rank.weights(), wanted);
  });
}

class StepsOf : public testing::TestWithParam<bool> {};

TEST_P(StepsOf, AreThoseOfTheSlowReference) {
  for (const int ranks : {1, 2, 4, 16}) {
    for (const Training& training : {Training{}, Training{3, 1}, Training{1, 1024}, Training{2, 512}}) {
      expect_reference<double>(ranks, GetParam(), training);
      expect_reference<float>(ranks, GetParam(), training);
    }
  }
}

// With momentum too: a second training without that round ends in the same bits.
TEST_P(StepsOf, ContinueAfterARoundWithInfinityAsThoughItHadNotBeen) {
  run_ranks(4, [&](Communicator& communicator) {
    const StepOptions options{2, {1024, true}};
    Rank<float> rank(communicator, GetParam(), options);
    Rank<float> other(communicator, GetParam(), {2, {512, true}});
    for (int step = 0; step < 2; ++step) {
      EXPECT_EQ(rank.step(step), std::nullopt);
      EXPECT_EQ(other.step(step), std::nullopt);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rank.step(2, communicator.rank() == 2 ? infinity : 0), std::nullopt) << "not combined yet";
    EXPECT_EQ(rank.step(3), 2);
    EXPECT_TRUE(rank.steps().drop());
    EXPECT_EQ(rank.steps().loss_scale().value(), 512);
    EXPECT_EQ(rank.weights(), other.weights());
    for (int step = 4; step < 8; ++step) {
      EXPECT_EQ(rank.step(step), std::nullopt);
      EXPECT_EQ(other.step(step), std::nullopt);
    }
    EXPECT_EQ(rank.weights(), other.weights());
    EXPECT_EQ(rank.velocity(), other.velocity());
  });
}

TEST_P(StepsOf, CombineWhatIsThereAtTheLastStep) {
  run_ranks(2, [&](Communicator& communicator) {
    Rank<double> rank(communicator, GetParam(), {3, {}});
    EXPECT_EQ(rank.step(0, 0, StepPosition::last), std::nullopt);
    EXPECT_TRUE(rank.steps().is_together());
    expect_near(rank.weights(), GetParam() ? slow_by_delta(2, {1, 1, 1}) : slow_by_gradient(2, {1, 1, 1}));
  });
}

TEST_P(StepsOf, CannotBeDroppedWhereTheScaleIsFixed) {
  run_ranks(2, [&](Communicator& communicator) {
    Rank<double> rank(communicator, GetParam(), {});
    EXPECT_EQ(rank.step(0, std::numeric_limits<double>::quiet_NaN()), 0);
    EXPECT_FALSE(rank.steps().drop());
    EXPECT_EQ(rank.weights(), Vector(size, 1.0));
  });
}

TEST_P(StepsOf, CanBeDroppedWithoutEndWhereThatIsAskedFor) {
  for (const LossScaleOptions& scale : {LossScaleOptions{1, false, true}, LossScaleOptions{2, true, true}}) {
    run_ranks(2, [&](Communicator& communicator) {
      Rank<double> rank(communicator, GetParam(), {1, scale});
      for (int step = 0; step < 3; ++step) {
        EXPECT_EQ(rank.step(step, std::numeric_limits<double>::quiet_NaN()), 0);
        EXPECT_TRUE(rank.steps().drop()) << step;
        EXPECT_EQ(rank.steps().loss_scale().value(), 1);
      }
      EXPECT_EQ(rank.weights(), Vector(size, 1.0));
    });
  }
}

TEST_P(StepsOf, CannotBeDroppedWhereADynamicScaleIsOne) {
  run_ranks(2, [&](Communicator& communicator) {
    Rank<double> rank(communicator, GetParam(), {1, {2, true}});
    for (const bool can : {true, false}) {
      EXPECT_EQ(rank.step(0, std::numeric_limits<double>::quiet_NaN()), 0);
      EXPECT_EQ(rank.steps().drop(), can);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, StepsOf, testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "ByDelta" : "ByGradient"; });

TEST(DeltaSteps, GiveTheGoldenValues) {
  run_ranks(2, [](Communicator& communicator) {
    const std::vector<std::vector<double>> golden = {{0.94, 1.94, 2.76}, {0.826, 1.826, 2.304}};
    std::vector<double> weights = {1, 2, 3};
    std::vector<double> gradient(3);
    Engine engine(communicator);
    Momentum<double> optimizer({weights}, {gradient});
    DeltaSteps<double> steps(engine, {{weights}, optimizer.state()}, {gradient});
    for (const auto& wanted : golden) {
      steps.begin();
      gradient = {communicator.rank() == 0 ? 1.0 : 0.0, communicator.rank() == 0 ? 0.0 : 1.0, 2};
      EXPECT_EQ(steps.end([&] { optimizer.step(0.1); }), std::nullopt);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], wanted[i], 1e-14);
    }
  });
}

TEST(DeltaPlan, TakesAStepBackThatWentToInfinityOnOneRank) {
  run_ranks(4, [](Communicator& communicator) {
    std::vector<float> weights = {1, 2, 3};
    Engine engine(communicator);
    DeltaPlan<float> plan(engine, {std::span(weights).first(2), std::span(weights).last(1)});
    plan.begin_step();
    weights[2] = communicator.rank() == 2 ? INFINITY : 5;
    EXPECT_EQ(plan.end_step(), 2);
    EXPECT_EQ(weights, (std::vector<float>{1, 2, 3}));
  });
}

// An optimizer that steps by 1 against each gradient's sign distinguishes a mean of gradients from a mean of
// steps.
class DeltasInGroups {
 public:
  explicit DeltasInGroups(Communicator& communicator, const StepOptions& options = {},
                          GroupGain gain = GroupGain::none)
      : rank_(static_cast<std::size_t>(communicator.rank())),
        engine_(communicator, {.group_size = 2, .group_gain = gain}),
        steps_(engine_, {{weights_}}, {gradient_}, options) {}

  std::optional<int> step(const std::array<double, 4>& slopes) {
    gradient_[0] += steps_.begin() * slopes[rank_];
    return steps_.end([this] { weights_[0] -= std::copysign(1.0, gradient_[0]); });
  }

  double weight() const { return weights_[0]; }
  double gradient() const { return gradient_[0]; }
  Steps<double>& steps() { return steps_; }

 private:
  std::size_t rank_;
  std::vector<double> weights_ = {10};
  std::vector<double> gradient_ = {0};
  Engine engine_;
  DeltaSteps<double> steps_;
};

TEST(DeltaSteps, OfAGroupAreTakenByTheMeanOfItsGradients) {
  run_ranks(4, [](Communicator& communicator) {
    DeltasInGroups rank(communicator, {.loss_scale = {1024}});
    EXPECT_EQ(rank.step({3, -1, 2, -1}), std::nullopt);
    EXPECT_EQ(rank.weight(), 9) << "both groups step down by 1, equal deltas have themselves as AdaSum";
    EXPECT_EQ(rank.step({-3, 1, 2, 5}), std::nullopt);
    EXPECT_EQ(rank.weight(), 9) << "one up, one down";
  });
}

TEST(DeltaSteps, OfAGroupAreTakenByItsMeanTimesItsGain) {
  run_ranks(4, [](Communicator& communicator) {
    DeltasInGroups rank(communicator, {}, GroupGain::spread);
    EXPECT_EQ(rank.step({3, -1, 2, 2}), std::nullopt);
    // A mean of 1 and a mean square of 5: the gain is at most the number of members. Equal ones have none.
    EXPECT_EQ(rank.gradient(), 2) << communicator.rank();
  });
}

TEST(DeltaSteps, OfAGroupAreItsOwnUntilGroupsAreTogether) {
  run_ranks(4, [](Communicator& communicator) {
    DeltasInGroups rank(communicator, {.local_steps = 2});
    EXPECT_EQ(rank.step({3, -1, 2, -1}), std::nullopt);
    EXPECT_EQ(rank.step({3, -1, -2, 1}), std::nullopt);
    EXPECT_EQ(rank.weight(), 8) << "the second group went back where it was";
  });
}

TEST(DeltaSteps, OfAGroupAreLeftOutWhereOneOfItsRanksHasInfinity) {
  run_ranks(4, [](Communicator& communicator) {
    DeltasInGroups rank(communicator, {.loss_scale = {8, true}});
    EXPECT_EQ(rank.step({1, 1, 1, std::numeric_limits<double>::infinity()}), 3);
    EXPECT_TRUE(rank.steps().drop());
    EXPECT_EQ(rank.weight(), 10);
    EXPECT_EQ(rank.step({1, 1, 1, 1}), std::nullopt);
    EXPECT_EQ(rank.weight(), 9);
  });
}

TEST(GradientSteps, OfAGroupAreItsMeanTimesItsGain) {
  // Orthogonal in groups and between them.
  for (const GroupGain gain : {GroupGain::none, GroupGain::spread}) {
    run_ranks(4, [gain](Communicator& communicator) {
      std::vector<double> gradient(4);
      Engine engine(communicator, {.group_size = 2, .group_gain = gain});
      GradientSteps<double> steps(engine, {gradient});
      steps.begin();
      gradient[static_cast<std::size_t>(communicator.rank())] = 2;
      EXPECT_EQ(steps.end([] {}), std::nullopt);
      EXPECT_EQ(gradient, std::vector<double>(4, gain == GroupGain::spread ? 2 : 1));
    });
  }
}

TEST(GradientSteps, TakeAnotherWayToCombine) {
  std::vector<float> gradient(1);
  GradientSteps<float> steps(
      [&] {
        gradient[0] = 5;
        return std::nullopt;
      },
      {gradient}, {.loss_scale = {2}});
  steps.begin();
  steps.end([&] { EXPECT_EQ(gradient[0], 2.5F); });
}

TEST(LossScale, IsFixedUnlessDynamic) {
  LossScale scale({1024, false, true});
  EXPECT_TRUE(scale.can_drop());
  scale.dropped();
  for (int i = 0; i < 5000; ++i) scale.taken();
  EXPECT_EQ(scale.value(), 1024);
  EXPECT_FALSE(LossScale({1024, false, false}).can_drop());
}

TEST(LossScale, HalvesAndDoublesWhereDynamic) {
  LossScale scale({1024, true, false});
  for (int i = 0; i < 1999; ++i) scale.taken();
  scale.dropped();
  EXPECT_EQ(scale.value(), 512);
  for (int i = 0; i < 1999; ++i) scale.taken();
  EXPECT_EQ(scale.value(), 512);
  scale.taken();
  EXPECT_EQ(scale.value(), 1024);
}

TEST(LossScale, GivesUpWhereNothingIsLeftToLower) {
  LossScale scale({4, true, false});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(scale.can_drop());
    scale.dropped();
  }
  EXPECT_FALSE(scale.can_drop());
}

}  // namespace
}  // namespace adasum
