// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/checkpointer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "trainer/base/collective.h"

namespace adarun::trainer {
namespace {

/// A process alone, which writes down at which steps its checkpoints are written.
struct Alone {
  explicit Alone(
      const CheckpointTimes& times, std::function<bool()> together = [] { return true; },
      std::function<bool()> stop = [] { return false; })
      : checkpointer(
            communicator, times, std::move(together),
            [this](const Progress& at) { steps.push_back(at.step); }, std::move(stop)) {}

  SingleProcessCommunicator communicator;
  std::vector<int> steps;
  Checkpointer checkpointer;
};

/// At which steps of ten a checkpoint is written, and whether the training was stopped.
struct Written {
  std::vector<int> steps;
  bool stopped = false;
};

Written steps_of(const CheckpointTimes& times, const std::function<bool(int)>& together, int stop_at,
                 int from = 1) {
  int step = 0;
  Alone alone(
      times, [&] { return together(step); }, [&] { return step >= stop_at; });
  bool is_stopped = false;
  try {
    for (step = from; step <= 10; ++step) alone.checkpointer.step_end({1, step, 0.5F, 0, step});
  } catch (const Stopped& stopped) {
    is_stopped = true;
    EXPECT_EQ(stopped.at.step, step);
  }
  return {alone.steps, is_stopped};
}

bool always(int /*step*/) {
  return true;
}
bool at_even(int step) {
  return step % 2 == 0;
}

TEST(Checkpointer, CallsEverySoManySteps) {
  EXPECT_EQ(steps_of({4, 0}, always, 99).steps, (std::vector<int>{4, 8}));
  EXPECT_TRUE(steps_of({0, 0}, always, 99).steps.empty());
}

TEST(Checkpointer, CountsStepsFromTheStartOfTheTrainingAndNotFromAResume) {
  EXPECT_EQ(steps_of({4, 0}, always, 99, 6).steps, (std::vector<int>{8}));
}

TEST(Checkpointer, WaitsUntilRanksAreTogether) {
  EXPECT_EQ(steps_of({3, 0}, at_even, 99).steps, (std::vector<int>{4, 6, 10}));
}

TEST(Checkpointer, StopsAfterACheckpointWhereARankIsAskedTo) {
  // The first exchange of requests comes after the first step.
  const Written written = steps_of({0, 0}, at_even, 1);
  EXPECT_TRUE(written.stopped);
  EXPECT_EQ(written.steps, (std::vector<int>{2}));
}

TEST(Checkpointer, CallsWhereTheTimeIsOver) {
  EXPECT_FALSE(steps_of({0, 1e-12}, always, 99).steps.empty());
}

// As after each change of members, where the one before may have been written long ago.
TEST(Checkpointer, CountsMinutesFromTheLastOneOfTheTraining) {
  using std::chrono::minutes;
  const auto now = CheckpointTimes::Clock::now();
  for (const auto& [earlier, due] : {std::pair{minutes(31), true}, std::pair{minutes(1), false}}) {
    Alone alone({0, 30, now - earlier});
    EXPECT_EQ(alone.checkpointer.saved_at(), now - earlier);
    alone.checkpointer.step_end({1, 1, 0.5F, 0, 1});
    EXPECT_EQ(alone.steps, due ? std::vector<int>{1} : std::vector<int>{}) << earlier.count();
    EXPECT_EQ(alone.checkpointer.saved_at() >= now, due) << earlier.count();
  }
}

/// The steps at which checkpoints are written of a training that ends after `last`.
std::vector<int> steps_with_end(const CheckpointTimes& times, const std::function<bool(int)>& together,
                                int last) {
  int step = 0;
  Alone alone(times, [&] { return together(step); });
  for (step = 1; step <= last; ++step) alone.checkpointer.step_end({1, step, 0.5F, 0, step});
  step = last;
  alone.checkpointer.finish();
  return alone.steps;
}

TEST(Checkpointer, WritesTheLastStateUnlessThatIsDone) {
  EXPECT_EQ(steps_with_end({0, 0}, always, 5), (std::vector<int>{5}));
  EXPECT_EQ(steps_with_end({4, 0}, always, 9), (std::vector<int>{4, 8, 9}));
  EXPECT_EQ(steps_with_end({4, 0}, always, 8), (std::vector<int>{4, 8}));
  EXPECT_EQ(steps_with_end({3, 0}, at_even, 9), (std::vector<int>{4, 6}));
  EXPECT_TRUE(steps_with_end({4, 0}, always, 0).empty());
}

TEST(Checkpointer, WritesOneOfAStateInMemoryWhereItIsDueOrTheLast) {
  for (const auto& [steps, due] : {std::pair{4, true}, std::pair{3, false}, std::pair{0, false}}) {
    Alone alone({steps, 0});
    alone.checkpointer.proceed({1, 8, 0.5F, 0, 8}, false);
    EXPECT_EQ(alone.steps.empty(), !due) << steps;
    alone.checkpointer.finish();
    EXPECT_EQ(alone.steps, std::vector<int>{8}) << steps;
  }
}

TEST(Checkpointer, StopsBetweenStepsWithTheStateThatIsNotWritten) {
  bool asked = false;
  Alone alone(
      {0, 0}, [] { return true; }, [&] { return asked; });
  alone.checkpointer.proceed({1, 8, 0, 0, 8}, true);
  EXPECT_FALSE(alone.checkpointer.is_to_stop());
  asked = true;
  EXPECT_TRUE(alone.checkpointer.is_to_stop());
  EXPECT_THROW(alone.checkpointer.stop({}), Stopped);
  EXPECT_TRUE(alone.steps.empty()) << "it has continued from there";
  for (int i = 0; i < 2; ++i) EXPECT_THROW(alone.checkpointer.stop({1, 9, 0, 0, 9}), Stopped);
  EXPECT_EQ(alone.steps, std::vector<int>{9});
}

TEST(Checkpointer, StopsWithAStateInMemoryBeforeTheNextStep) {
  const auto yes = [] { return true; };
  for (const bool saved : {false, true}) {
    Alone alone({0, 0}, yes, yes);
    EXPECT_THROW(alone.checkpointer.proceed({1, 8, 0.5F, 0, 8}, saved), Stopped);
    EXPECT_EQ(alone.steps, saved ? std::vector<int>{} : std::vector<int>{8});
  }
}

}  // namespace
}  // namespace adarun::trainer
