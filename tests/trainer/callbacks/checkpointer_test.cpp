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

/// At which steps of ten a checkpoint is written, and whether the training was stopped.
struct Written {
  std::vector<int> steps;
  bool stopped = false;
};

Written steps_of(const CheckpointTimes& times, const std::function<bool(int)>& together, int stop_at,
                 int from = 1) {
  SingleProcessCommunicator alone;
  Written written;
  int step = 0;
  Checkpointer checkpointer(
      alone, times, [&] { return together(step); },
      [&](const Progress& at) { written.steps.push_back(at.step); }, [&] { return step >= stop_at; });
  try {
    for (step = from; step <= 10; ++step) checkpointer.step_end({1, step, 0.5F, 0, step});
  } catch (const Stopped& stopped) {
    written.stopped = true;
    EXPECT_EQ(stopped.at.step, step);
  }
  return written;
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
  SingleProcessCommunicator alone;
  const auto now = CheckpointTimes::Clock::now();
  for (const auto& [earlier, due] : {std::pair{minutes(31), true}, std::pair{minutes(1), false}}) {
    std::vector<int> written;
    Checkpointer checkpointer(
        alone, {0, 30, now - earlier}, [] { return true; },
        [&](const Progress& at) { written.push_back(at.step); }, [] { return false; });
    EXPECT_EQ(checkpointer.saved_at(), now - earlier);
    checkpointer.step_end({1, 1, 0.5F, 0, 1});
    EXPECT_EQ(written, due ? std::vector<int>{1} : std::vector<int>{}) << earlier.count();
    EXPECT_EQ(checkpointer.saved_at() >= now, due) << earlier.count();
  }
}

/// The steps at which checkpoints are written of a training that ends after `last`.
std::vector<int> steps_with_end(const CheckpointTimes& times, const std::function<bool(int)>& together,
                                int last) {
  SingleProcessCommunicator alone;
  std::vector<int> written;
  int step = 0;
  Checkpointer checkpointer(
      alone, times, [&] { return together(step); }, [&](const Progress& at) { written.push_back(at.step); },
      [] { return false; });
  for (step = 1; step <= last; ++step) checkpointer.step_end({1, step, 0.5F, 0, step});
  step = last;
  checkpointer.finish();
  return written;
}

TEST(Checkpointer, WritesTheLastStateUnlessThatIsDone) {
  EXPECT_EQ(steps_with_end({0, 0}, always, 5), (std::vector<int>{5}));
  EXPECT_EQ(steps_with_end({4, 0}, always, 9), (std::vector<int>{4, 8, 9}));
  EXPECT_EQ(steps_with_end({4, 0}, always, 8), (std::vector<int>{4, 8}));
  EXPECT_EQ(steps_with_end({3, 0}, at_even, 9), (std::vector<int>{4, 6}));
  EXPECT_TRUE(steps_with_end({4, 0}, always, 0).empty());
}

TEST(Checkpointer, WritesOneOfAStateInMemoryWhereItIsDueOrTheLast) {
  SingleProcessCommunicator alone;
  for (const auto& [steps, due] : {std::pair{4, true}, std::pair{3, false}, std::pair{0, false}}) {
    std::vector<int> written;
    Checkpointer checkpointer(
        alone, {steps, 0}, [] { return true; }, [&](const Progress& at) { written.push_back(at.step); },
        [] { return false; });
    checkpointer.proceed({1, 8, 0.5F, 0, 8}, false);
    EXPECT_EQ(written.empty(), !due) << steps;
    checkpointer.finish();
    EXPECT_EQ(written, std::vector<int>{8}) << steps;
  }
}

TEST(Checkpointer, StopsBetweenStepsWithTheStateThatIsNotWritten) {
  SingleProcessCommunicator alone;
  bool asked = false;
  std::vector<int> written;
  Checkpointer checkpointer(
      alone, {0, 0}, [] { return true; }, [&](const Progress& at) { written.push_back(at.step); },
      [&] { return asked; });
  checkpointer.proceed({1, 8, 0, 0, 8}, true);
  EXPECT_FALSE(checkpointer.is_to_stop());
  asked = true;
  EXPECT_TRUE(checkpointer.is_to_stop());
  EXPECT_THROW(checkpointer.stop({}), Stopped);
  EXPECT_TRUE(written.empty()) << "it has continued from there";
  for (int i = 0; i < 2; ++i) EXPECT_THROW(checkpointer.stop({1, 9, 0, 0, 9}), Stopped);
  EXPECT_EQ(written, std::vector<int>{9});
}

TEST(Checkpointer, StopsWithAStateInMemoryBeforeTheNextStep) {
  SingleProcessCommunicator alone;
  for (const bool saved : {false, true}) {
    std::vector<int> written;
    Checkpointer checkpointer(
        alone, {0, 0}, [] { return true; }, [&](const Progress& at) { written.push_back(at.step); },
        [] { return true; });
    EXPECT_THROW(checkpointer.proceed({1, 8, 0.5F, 0, 8}, saved), Stopped);
    EXPECT_EQ(written, saved ? std::vector<int>{} : std::vector<int>{8});
  }
}

}  // namespace
}  // namespace adarun::trainer
