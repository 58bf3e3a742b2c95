// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/checkpointer.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "trainer/one_rank.h"

namespace adarun::trainer {
namespace {

/// At which steps of ten a checkpoint is written, and whether the training was stopped.
struct Written {
  std::vector<int> steps;
  bool stopped = false;
};

Written steps_of(const CheckpointTimes& times, const std::function<bool(int)>& together, int stop_at,
                 int from = 1) {
  OneRank alone;
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

}  // namespace
}  // namespace adarun::trainer
