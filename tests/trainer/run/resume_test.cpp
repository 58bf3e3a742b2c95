// SPDX-License-Identifier: Apache-2.0
// Trainings that continue from a checkpoint with another number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/checkpoint/saver.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/shard.h"
#include "trainer/models/model.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

constexpr std::size_t sample_count = 1003;
constexpr std::size_t batch_size = 10;

/// The first digits. Keeps the numbers of those that are read.
class Noted : public Digits {
 public:
  Noted() : Digits(DatasetPart::train, 1) {}
  std::size_t size() const override { return sample_count; }
  void sample(std::size_t index, const View& view, std::span<float> values) const override {
    taken.push_back(static_cast<std::uint32_t>(index));
    Digits::sample(index, view, values);
  }

  mutable std::vector<std::uint32_t> taken;
};

/// Small: which samples a rank takes is tested, and what it keeps of them, whatever the model is.
torch::Tensor two_layers(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  const Activation hidden = layers.relu(layers.dense("fc1", layers.flatten(images), 16));
  return layers.scores("fc2", hidden, classes);
}

/// What all ranks of a training did.
struct Done {
  std::vector<float> weights;
  std::map<int, std::vector<std::uint32_t>> taken;  ///< The samples, by epoch.
  std::vector<float> rates;                         ///< Of rank 0's steps.
  std::vector<std::string> notes;                   ///< Of rank 0.
  std::int64_t all_steps = 0;
};

/// Saves after the last step of a training, and notes what it did.
class AtSteps : public Callback {
 public:
  AtSteps(Saver& saver, const Noted& dataset, const TrainerOptions& options)
      : saver_(saver), dataset_(dataset), last_(options.max_steps) {}

  void step_end(const Progress& progress) override {
    const std::vector<std::uint32_t> step(dataset_.taken.end() - batch_size, dataset_.taken.end());
    taken[progress.epoch].insert(taken[progress.epoch].end(), step.begin(), step.end());
    rates.push_back(progress.rate);
    all_steps = progress.all_steps;
    if (progress.all_steps == last_) saver_.save(progress);
  }

  std::map<int, std::vector<std::uint32_t>> taken;
  std::vector<float> rates;
  std::int64_t all_steps = 0;

 private:
  Saver& saver_;
  const Noted& dataset_;
  std::int64_t last_;
};

/// Continues from the checkpoint in options.checkpoint_dir, if there is one, to options.max_steps.
Done train_with(int ranks, const TrainerOptions& options, Reduce reduce = Reduce::adasum) {
  Done done;
  std::mutex mutex;
  adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
    const Model model = make_model("mlp", &two_layers, {1, 8, 10});
    const Noted dataset;
    Weights weights(model, 1);
    const Reduction reduction = {reduce, 1};
    const ReduceContext context(communicator, reduction);
    Learner learner = make_learner(model, weights, context, options);
    TrainingState state(options, reduction, dataset, weights, learner, communicator, nullptr);
    Saver saver(options, reduction, model, dataset, state, learner, communicator);
    std::vector<std::string> notes;
    const auto start =
        saver.begin({Resume::always, "r-1"}, [&](const std::string& line) { notes.push_back(line); });
    AtSteps at_steps(saver, dataset, options);
    train({model, weights, learner, dataset, communicator, {&at_steps}, start.value_or(Position{})}, options);
    const std::lock_guard lock(mutex);
    for (const auto& [epoch, taken] : at_steps.taken)
      done.taken[epoch].insert(done.taken[epoch].end(), taken.begin(), taken.end());
    if (communicator.rank() != 0) return;
    done.weights.assign(weights.values().begin(), weights.values().end());
    done.rates = at_steps.rates;
    done.notes = notes;
    done.all_steps = at_steps.all_steps;
  });
  return done;
}

TrainerOptions options_for(const test::ScratchFolder& folder, int max_steps) {
  TrainerOptions options;
  options.checkpoint_dir = folder.path();
  options.batch_size = batch_size;
  options.epochs = 2;
  options.max_steps = max_steps;
  return options;
}

/// Whether they are the first ones of the order of `epoch`, each once.
bool are_first_of_order(std::vector<std::uint32_t> taken, int epoch, std::uint64_t seed) {
  std::vector<std::uint32_t> first = epoch_order(sample_count, seed, epoch);
  if (taken.size() > first.size()) return false;
  first.resize(taken.size());
  std::ranges::sort(first);
  std::ranges::sort(taken);
  return taken == first;
}

struct Change {
  int before = 1;
  int after = 1;
};
constexpr Change changes[] = {{4, 2}, {2, 4}, {4, 3}, {3, 8}};

std::string note_of(const Change& change) {
  return "checkpoint of " + std::to_string(change.before) + " ranks; continuing with " +
         std::to_string(change.after);
}

TEST(OtherNumberOfRanks, TakesTheSamplesThatAreLeftOfTheEpochEachOnce) {
  for (const Change& change : changes) {
    SCOPED_TRACE(note_of(change));
    const test::ScratchFolder folder;
    Done done = train_with(change.before, options_for(folder, 7));
    EXPECT_TRUE(are_first_of_order(done.taken[1], 1, 1));
    const Done rest = train_with(change.after, options_for(folder, 0));
    EXPECT_EQ(rest.notes, std::vector<std::string>{note_of(change)});
    std::vector<std::uint32_t> taken = rest.taken.at(1);
    taken.insert(taken.end(), done.taken[1].begin(), done.taken[1].end());
    EXPECT_TRUE(are_first_of_order(taken, 1, 1));
    const std::size_t of_step = batch_size * static_cast<std::size_t>(change.after);
    EXPECT_LT(sample_count - taken.size(), of_step) << "another step could be taken";
    // The next epoch is that of the ranks that there are now.
    const std::size_t steps = steps_per_epoch(sample_count, change.after, batch_size);
    EXPECT_EQ(rest.taken.at(2).size(), steps * of_step);
    EXPECT_EQ(rest.all_steps,
              7 + static_cast<std::int64_t>((sample_count - done.taken[1].size()) / of_step + steps));
  }
}

TEST(OtherNumberOfRanks, BeginsTheNextEpochAfterACheckpointAtTheEndOfOne) {
  for (const Change& change : changes) {
    SCOPED_TRACE(note_of(change));
    const test::ScratchFolder folder;
    const int steps = static_cast<int>(steps_per_epoch(sample_count, change.before, batch_size));
    train_with(change.before, options_for(folder, steps));
    const Done rest = train_with(change.after, options_for(folder, 0));
    EXPECT_FALSE(rest.taken.contains(1));
    EXPECT_TRUE(are_first_of_order(rest.taken.at(2), 2, 1));
  }
}

TEST(OtherNumberOfRanks, BeginsTheNextEpochWhereTooFewSamplesForAStepAreLeft) {
  const test::ScratchFolder folder;
  train_with(4, options_for(folder, 23));  // 920 of 1003 samples
  const Done rest = train_with(9, options_for(folder, 0));
  EXPECT_FALSE(rest.taken.contains(1));
}

TEST(OtherNumberOfRanks, ContinuesToTheBitWhenItIsInterruptedInItsTurn) {
  for (const Reduce reduce : {Reduce::adasum, Reduce::mean}) {
    for (const Change& change : changes) {
      SCOPED_TRACE(note_of(change));
      const test::ScratchFolder straight;
      train_with(change.before, options_for(straight, 7), reduce);
      const test::ScratchFolder folder;
      std::filesystem::copy(straight.path(), folder.path());
      const std::vector<float> wanted = train_with(change.after, options_for(straight, 30), reduce).weights;
      for (const int stop : {9, 30}) train_with(change.after, options_for(folder, stop), reduce);
      const Done same = train_with(change.after, options_for(folder, 30), reduce);
      EXPECT_EQ(same.notes, std::vector<std::string>{});
      EXPECT_EQ(same.weights, wanted);
    }
  }
}

TEST(OtherNumberOfRanks, MayChangeTwiceInAnEpoch) {
  const test::ScratchFolder folder;
  Done done = train_with(4, options_for(folder, 5));
  std::vector<std::uint32_t> taken = done.taken[1];
  for (const auto& [ranks, last] : {std::pair{2, 9}, std::pair{3, 14}, std::pair{8, 0}}) {
    Done next = train_with(ranks, options_for(folder, last));
    taken.insert(taken.end(), next.taken[1].begin(), next.taken[1].end());
    EXPECT_TRUE(are_first_of_order(taken, 1, 1)) << ranks;
  }
  EXPECT_LT(sample_count - taken.size(), 8 * batch_size);
}

TEST(OtherNumberOfRanks, ContinuesWithTheLearningRateOfTheSamePlaceInTheEpochs) {
  for (const Change& change : changes) {
    SCOPED_TRACE(note_of(change));
    const test::ScratchFolder folder;
    TrainerOptions options = options_for(folder, 7);
    options.schedule = {"linear", 0, 0, 0};
    const Done done = train_with(change.before, options);
    options.max_steps = 0;
    const Done rest = train_with(change.after, options);
    const double peak = double{options.optimizer.learning_rate};
    const double epochs_done = static_cast<double>(done.taken.at(1).size()) / sample_count;
    const double of_step =
        peak / (2.0 * static_cast<double>(steps_per_epoch(sample_count, change.after, batch_size)));
    // The epoch of the schedule has its whole steps only.
    EXPECT_NEAR(double{rest.rates.front()}, peak * (1 - epochs_done / 2), 2 * of_step);
    EXPECT_NEAR(double{rest.rates.back()}, of_step, 1e-6) << "the last step of the schedule";
  }
}

TEST(OtherNumberOfRanks, DividesAShardedOptimizerAnew) {
  for (const Change& change : changes) {
    SCOPED_TRACE(note_of(change));
    const auto trained = [&](bool sharded) {
      const test::ScratchFolder folder;
      TrainerOptions options = options_for(folder, 7);
      options.optimizer.name = "adam";
      options.shard_optimizer = sharded;
      train_with(change.before, options, Reduce::mean);
      options.max_steps = 12;
      return train_with(change.after, options, Reduce::mean).weights;
    };
    EXPECT_EQ(trained(true), trained(false));
  }
}

TEST(OtherNumberOfRanks, MayBeOneThatCombinesNothingAndSeveralAgain) {
  for (const Reduce reduce : {Reduce::adasum, Reduce::mean, Reduce::sum}) {
    const test::ScratchFolder folder;
    std::vector<std::uint32_t> taken = train_with(4, options_for(folder, 7), reduce).taken.at(1);
    const Done one = train_with(1, options_for(folder, 30), Reduce::none);
    EXPECT_EQ(one.notes, std::vector<std::string>{"checkpoint of 4 ranks; continuing with 1"});
    const Done several = train_with(4, options_for(folder, 32), reduce);
    EXPECT_EQ(several.notes, std::vector<std::string>{"checkpoint of 1 rank; continuing with 4"});
    for (const Done& done : {one, several})
      taken.insert(taken.end(), done.taken.at(1).begin(), done.taken.at(1).end());
    EXPECT_TRUE(are_first_of_order(taken, 1, 1));
  }
}

TEST(OtherNumberOfRanks, MayNotBeOneWhereEachRankHadAStateOfItsOwn) {
  for (const AdasumOn on : {AdasumOn::delta, AdasumOn::gradient}) {
    const test::ScratchFolder folder;
    TrainerOptions options = options_for(folder, 7);
    options.adasum_on = on;
    train_with(4, options, on == AdasumOn::delta ? Reduce::adasum : Reduce::none);
    EXPECT_THAT(testing_data::refusal([&] { train_with(1, options_for(folder, 9), Reduce::none); }),
                testing::HasSubstr(": of 4 ranks, each with a state of its own (--adasum-on delta, --reduce "
                                   "none), which 1 rank cannot continue from"));
  }
}

TEST(OtherNumberOfRanks, IsRefusedWhereEachRankHasAnOptimizerOfItsOwn) {
  const test::ScratchFolder folder;
  TrainerOptions options = options_for(folder, 7);
  options.adasum_on = AdasumOn::delta;
  train_with(4, options);
  EXPECT_THROW(train_with(2, options), Error);
}

}  // namespace
}  // namespace adarun::trainer
