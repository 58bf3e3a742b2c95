// SPDX-License-Identifier: Apache-2.0
// A rank ends at each of its calls of the communicator, and the others continue.
#include "trainer/run/continuation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/types/error.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/observed_communicator.h"
#include "trainer/checkpoint/saver.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/models/models.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

using testing_data::Death;

constexpr int ranks = 4;
constexpr int last_step = 4;

/// When the last checkpoint of a training was written.
Snapshot::Clock::time_point an_hour_ago() {
  return Snapshot::Clock::now() - std::chrono::hours(1);
}

class FewDigits : public Digits {
 public:
  FewDigits() : Digits(DatasetPart::train, 1) {}
  std::size_t size() const override { return 301; }
};

/// One rank's part of a training of a small model.
class Trained {
 public:
  Trained(const std::string& model, const TrainerOptions& options, adasum::Communicator& communicator)
      : options_(options),
        communicator_(communicator),
        model_(model_named(model, {1, 8, 10})),
        weights_(model_, 1),
        context_(communicator, reduction_),
        learner_(make_learner(model_, weights_, context_, options)) {}

  /// From the last checkpoint; the last step is kept as one.
  std::vector<float> with_checkpoints() {
    TrainingState state_now(options_, reduction_, dataset_, weights_, learner_, communicator_, nullptr);
    Saver saver(options_, reduction_, model_, dataset_, state_now, learner_, communicator_);
    const auto start = saver.begin({Resume::always, "r-1"}, [](const std::string&) {});
    AtEnd at_end(saver, options_.max_steps);
    train({model_, weights_, learner_, dataset_, communicator_, {&at_end}, start.value_or(Position{})},
          options_);
    return state();
  }

  /// From what the ranks have in memory.
  std::vector<float> going_on(Continuation& continuation) {
    continuation.agree(communicator_);
    TrainingState state_now(options_, reduction_, dataset_, weights_, learner_, communicator_, nullptr);
    Position start;
    if (const auto& snapshot = continuation.begins_from()) start = proceed(*snapshot, state_now);
    Continuation::Watch watch(continuation, state_now, weights_, communicator_, start);
    learner_.ask_before_steps([&watch] { watch.vote(); });
    try {
      train({model_, weights_, learner_, dataset_, communicator_, {&watch}, start}, options_);
    } catch (const adasum::Error&) {
      watch.keep("", "", an_hour_ago());
      throw;
    }
    return state();
  }

 private:
  struct AtEnd : Callback {
    AtEnd(Saver& its_saver, int its_last) : saver(its_saver), last(its_last) {}
    void step_end(const Progress& progress) override {
      if (progress.all_steps == last) saver.save(progress);
    }
    Saver& saver;
    int last;
  };

  /// Weights and momentum, which all ranks share.
  std::vector<float> state() {
    std::vector<float> all(weights_.values().begin(), weights_.values().end());
    for (const std::span<float> part : learner_.optimizer_state())
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  TrainerOptions options_;
  Reduction reduction_ = {Reduce::adasum, 1};
  adasum::Communicator& communicator_;
  Model model_;
  FewDigits dataset_;
  Weights weights_;
  ReduceContext context_;
  Learner learner_;
};

TrainerOptions options_until(int steps, const std::string& folder = "") {
  TrainerOptions options;
  options.batch_size = 10;
  options.checkpoint_dir = folder;
  options.max_steps = steps;
  return options;
}

/// What `left` ranks have after the last step that continue from a checkpoint of all ranks after `step`
/// steps.
std::vector<float> resumed_after(int step, int left, const std::string& model) {
  const test::ScratchFolder folder;
  std::vector<float> found;
  for (const auto& [world, steps] : {std::pair{ranks, step}, std::pair{left, last_step}}) {
    if (steps == 0) continue;
    adasum::run_ranks(world, [&, last = steps](adasum::Communicator& communicator) {
      Trained trained(model, options_until(last, folder.path()), communicator);
      const std::vector<float> state = trained.with_checkpoints();
      if (communicator.rank() == 0) found = state;
    });
  }
  return found;
}

/// Rank `dying` ends at its `call`-th call; `held` is what each rank continues from. Returns what the others
/// hold then; nothing if it did not end.
std::optional<std::vector<Continuation>> end_at(
    int dying, int call, const std::string& model,
    std::vector<Continuation> held = std::vector<Continuation>(ranks)) {
  try {
    adasum::run_ranks(static_cast<int>(held.size()), [&](adasum::Communicator& communicator) {
      const int rank = communicator.rank();
      int left = rank == dying ? call : 0;
      testing_data::ObservedCommunicator mine(communicator, [&left] {
        if (left > 0 && --left == 0) throw Death();
      });
      try {
        Trained(model, options_until(last_step), mine).going_on(held[static_cast<std::size_t>(rank)]);
      } catch (const adasum::Error&) {
      }
    });
    return std::nullopt;
  } catch (const Death&) {
    held.erase(held.begin() + dying);
    return held;
  }
}

/// What each of the ranks has after the last step.
std::vector<std::vector<float>> ends_of(std::vector<Continuation>& held, const std::string& model) {
  std::vector<std::vector<float>> ends(held.size());
  adasum::run_ranks(static_cast<int>(held.size()), [&](adasum::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    ends[rank] = Trained(model, options_until(last_step), communicator).going_on(held[rank]);
  });
  return ends;
}

/// Returns the steps from which the others continued.
std::set<std::int64_t> check_each_call(int dying, int stride, const std::string& model) {
  std::map<std::int64_t, std::vector<float>> wanted;
  std::set<std::int64_t> steps;
  for (int call = 1;; call += stride) {
    auto held = end_at(dying, call, model);
    if (!held) return steps;
    const auto ends = ends_of(*held, model);
    const std::int64_t step = held->front().steps();
    steps.insert(step);
    if (!wanted.contains(step)) wanted[step] = resumed_after(static_cast<int>(step), ranks - 1, model);
    for (const std::vector<float>& end : ends)
      EXPECT_EQ(end, wanted[step]) << "rank " << dying << ", call " << call << ", step " << step;
  }
}

TEST(Continuation, ContinuesAsAResumedRunWhereverARankEnds) {
  std::set<std::int64_t> every_step;
  for (std::int64_t step = 0; step < last_step; ++step) every_step.insert(step);
  for (const int dying : {0, 2}) EXPECT_EQ(check_each_call(dying, 1, "mlp"), every_step);
}

TEST(Continuation, ContinuesWithTheStatisticsOfAllRanksThatTookTheStep) {
  EXPECT_FALSE(check_each_call(3, 5, "resnet20").empty());
}

TEST(Continuation, TakesTheStateOfTheRankThatIsFurthest) {
  std::vector<std::int64_t> agreed(3);
  std::vector<Continuation> held(3);
  for (int call = 1; held[1].steps() == 0; ++call) held = end_at(3, call, "mlp").value();
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    Continuation none;
    Continuation& mine = rank == 1 ? held[1] : none;
    mine.agree(communicator);
    agreed[rank] = mine.steps();
  });
  EXPECT_GT(agreed[1], 0);
  EXPECT_EQ(agreed, std::vector<std::int64_t>(3, agreed[1]));
}

/// What three ranks hold when the fourth has ended after so many steps of all.
std::vector<Continuation> held_after(std::int64_t steps) {
  std::vector<Continuation> held(3);
  const auto is_behind = [steps](const Continuation& each) { return each.steps() < steps; };
  for (int call = 1; std::ranges::any_of(held, is_behind); ++call) held = end_at(3, call, "mlp").value();
  return held;
}

TEST(Continuation, TakesHowLongAgoTheLastCheckpointWasFromThatRankToo) {
  std::vector<Continuation> held = held_after(1);
  held[0] = Continuation();
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    Continuation& mine = held[static_cast<std::size_t>(communicator.rank())];
    mine.agree(communicator);
    ASSERT_TRUE(mine.begins_from());
    EXPECT_LT(mine.begins_from()->saved_at, Snapshot::Clock::now() - std::chrono::minutes(30));
  });
}

// Each call of the agreement is a place to end, and each of what follows until the next step is taken.
TEST(Continuation, OutlivesASecondEndWhileTheStateIsShared) {
  std::vector<Continuation> held = held_after(1);
  held[1] = held_after(2)[1];
  const std::int64_t step = held[1].steps();
  for (const int dying : {0, 1, 2}) {
    std::map<std::int64_t, std::vector<float>> wanted;
    for (int call = 1;; ++call) {
      auto left = end_at(dying, call, "mlp", held);
      ASSERT_TRUE(left);
      const auto ends = ends_of(*left, "mlp");
      const std::int64_t continued_at = left->front().steps();
      if (continued_at > step) break;
      EXPECT_TRUE(dying == 1 || continued_at == step) << "rank " << dying << ", call " << call;
      if (!wanted.contains(continued_at))
        wanted[continued_at] = resumed_after(static_cast<int>(continued_at), 2, "mlp");
      for (const std::vector<float>& end : ends)
        EXPECT_EQ(end, wanted[continued_at]) << "rank " << dying << ", call " << call;
    }
  }
}

}  // namespace
}  // namespace adarun::trainer
