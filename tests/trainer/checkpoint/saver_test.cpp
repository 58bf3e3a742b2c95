// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/make_learner.h"
#include "trainer/models/models.h"
#include "trainer/train.h"

namespace adarun::trainer {
namespace {

/// One rank of a training of a model with running means.
struct Rank {
  Rank(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator)
      : weights(model, static_cast<std::uint64_t>(communicator.rank())),
        context(communicator, reduction),
        learner(make_learner(model, weights, context, options)),
        saver(options, reduction, model, dataset, weights, learner, communicator) {}

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

}  // namespace
}  // namespace adarun::trainer
