// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/datasets/wrappers.h"
#include "trainer/models/models.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

/// One rank of a training of a model with running means.
struct Rank {
  Rank(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator)
      : weights(model, static_cast<std::uint64_t>(communicator.rank())),
        context(communicator, reduction),
        learner(make_learner(model, weights, context, options)),
        state(options, reduction, dataset, weights, learner, communicator, nullptr),
        saver(options, reduction, model, dataset, state, learner, communicator) {}

  std::vector<std::string> begin(Resume resume) {
    std::vector<std::string> lines;
    saver.begin({resume}, [&](const std::string& line) { lines.push_back(line); });
    return lines;
  }

  Model model = model_named("resnet20", {1, 32, 10});
  Digits dataset{DatasetPart::train, 1};
  Weights weights;
  ReduceContext context;
  Learner learner;
  TrainingState state;
  Saver saver;
};

std::vector<float> copy_of(std::span<const float> values) {
  return {values.begin(), values.end()};
}

TEST(Saver, PutsBackTheRunningMeansOfEachRankAndLeavesThemAloneWhenItSaves) {
  for (const Reduce reduce : {Reduce::mean, Reduce::none}) {
    const test::ScratchFolder folder;
    TrainerOptions options;
    options.checkpoint_dir = folder.path();
    adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
      Rank before(options, {reduce, 1}, communicator);
      std::ranges::fill(before.weights.buffers(), 0.1F * static_cast<float>(communicator.rank() + 1));
      const std::vector<float> means = copy_of(before.weights.buffers());
      before.begin(Resume::never);
      before.saver.save({1, 4, 0, 0, 4});
      EXPECT_EQ(copy_of(before.weights.buffers()), means);

      Rank after(options, {reduce, 1}, communicator);
      EXPECT_TRUE(after.begin(Resume::always).empty());
      EXPECT_EQ(copy_of(after.weights.buffers()), means);
    });
  }
}

// Those of thousands of ranks are too much for each of them.
TEST(Saver, HasTheRunningMeansOfAllRanksOnRankZeroAlone) {
  const test::ScratchFolder folder;
  TrainerOptions options;
  options.checkpoint_dir = folder.path();
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    Rank rank(options, {Reduce::mean, 1}, communicator);
    std::ranges::fill(rank.weights.buffers(), static_cast<float>(communicator.rank()));
    const std::size_t count = rank.weights.buffers().size();
    std::vector<float> wanted;
    for (int of = 0; communicator.rank() == 0 && of < 3; ++of)
      wanted.insert(wanted.end(), count, static_cast<float>(of));
    rank.state.gather();
    EXPECT_EQ(copy_of(rank.state.values()[1]), wanted);
    rank.state.make_room(5);
    EXPECT_EQ(rank.state.values()[1].size(), communicator.rank() == 0 ? 5 * count : 0U);
  });
}

TEST(Saver, GivesOtherRanksTheMeanOfTheRunningMeans) {
  for (const bool sharded : {false, true}) {
    const test::ScratchFolder folder;
    TrainerOptions options;
    options.checkpoint_dir = folder.path();
    options.shard_optimizer = sharded;
    adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
      Rank before(options, {Reduce::mean, 1}, communicator);
      std::ranges::fill(before.weights.buffers(), static_cast<float>(communicator.rank() + 1));
      before.begin(Resume::never);
      before.saver.save({1, 4, 0, 0, 4});
    });
    for (const int ranks : {2, 5}) {
      adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
        Rank after(options, {Reduce::mean, 1}, communicator);
        EXPECT_EQ(
            after.begin(Resume::always),
            std::vector<std::string>{"checkpoint of 4 ranks; continuing with " + std::to_string(ranks)});
        EXPECT_EQ(copy_of(after.weights.buffers()), std::vector<float>(after.weights.buffers().size(), 2.5F));
      });
    }
  }
}

TEST(Saver, SaysWhichSettingsAreOthersAndTakesThem) {
  const test::ScratchFolder folder;
  TrainerOptions options;
  options.checkpoint_dir = folder.path();
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    Rank before(options, {Reduce::mean, 1}, communicator);
    before.begin(Resume::never);
    before.saver.save({1, 4, 0, 0, 4});
    TrainerOptions other = options;
    other.optimizer.momentum = 0.5F;
    other.optimizer.weight_decay = 1e-4F;
    other.optimizer.beta1 = 0.8F;  // not used by this optimizer
    other.optimizer.learning_rate = 0.1F;
    other.label_smoothing = 0.1;
    other.loss_scale.scale = 512;
    other.micro_batches = 2;
    other.epochs = 9;
    Rank after(other, {Reduce::mean, 1}, communicator);
    EXPECT_EQ(after.begin(Resume::always),
              (std::vector<std::string>{"resumed with other settings: --weight-decay 1e-04 (was 0), "
                                        "--momentum 0.5 (was 0.9), --label-smoothing "
                                        "0.1 (was 0), --loss-scale 512 (was 1), --micro-batches 2 (was 1)"}));
    EXPECT_EQ(after.learner.steps().loss_scale().value(), 512);
  });
}

TEST(Saver, BeginsADynamicLossScaleWhereTheCheckpointHasAFixedOne) {
  const test::ScratchFolder folder;
  TrainerOptions options;
  options.checkpoint_dir = folder.path();
  adasum::run_ranks(1, [&](adasum::Communicator& communicator) {
    Rank before(options, {Reduce::mean, 1}, communicator);
    before.begin(Resume::never);
    before.saver.save({1, 4, 0, 0, 4});
    TrainerOptions other = options;
    other.loss_scale = {.scale = 1024, .dynamic = true};
    Rank after(other, {Reduce::mean, 1}, communicator);
    after.begin(Resume::always);
    EXPECT_EQ(after.learner.steps().loss_scale().value(), 1024);
  });
}

/// All but one of some images on four ranks of one replica: a step fewer than four replicas would take.
TEST(Saver, ContinuesWithTheNextEpochWhereRanksOfAReplicaTakeTheSameImages) {
  const test::ScratchFolder folder;
  TrainerOptions options;
  options.checkpoint_dir = folder.path();
  options.batch_size = 8;
  adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
    const auto dataset = hold_out(std::make_unique<Digits>(DatasetPart::train, 1), 1, DatasetPart::train);
    const int steps = static_cast<int>(dataset->size() / 32);
    ASSERT_NE(steps, static_cast<int>((dataset->size() + 3) / 4 / 8)) << "else this shows nothing";
    const Model whole = model_named("mlp", {1, 32, 10});
    SplitRun split(whole, {{1, 4, planner::LayerSplit::outputs}, {1, 4, planner::LayerSplit::inputs}, {4, 1}},
                   communicator);
    Weights weights(split.model(), 0);
    const ReduceContext context(split, {Reduce::mean, 1});
    Learner learner = make_learner(split.model(), weights, context, options);
    const auto position = [&](Resume resume, int step) {
      TrainingState state(options, {Reduce::mean, 1}, *dataset, weights, learner, communicator, &split);
      Saver saver(options, {Reduce::mean, 1}, whole, *dataset, state, learner, communicator, &split);
      const auto begun = saver.begin({resume}, [](const std::string&) {});
      if (step > 0) saver.save({1, step, 0, 0, step});
      return begun;
    };
    position(Resume::never, steps);
    const auto next = position(Resume::always, 0);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->epoch, 2);
    EXPECT_EQ(next->steps, 0);
  });
}

}  // namespace
}  // namespace adarun::trainer
