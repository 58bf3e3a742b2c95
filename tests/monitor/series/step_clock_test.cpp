// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_clock.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace adarun::monitor {
namespace {

/// Steps in the order in which they are placed, and the position that each must have.
struct PlacedSteps {
  const char* what;
  std::optional<std::uint64_t> steps_per_epoch;  ///< Where it is printed.
  struct Step {
    std::uint64_t epoch;
    std::uint64_t step;
    std::uint64_t position;
  };
  std::vector<Step> steps;
};

TEST(StepClock, PlacesTheStepsOfAllEpochsInOneOrder) {
  const PlacedSteps cases[] = {
      {"steps begin again with each epoch",
       {},
       {{1, 100, 100}, {1, 300, 300}, {2, 100, 400}, {2, 300, 600}, {3, 100, 700}}},
      {"the true length of an epoch is printed", 312, {{1, 300, 300}, {2, 100, 412}, {5, 1, 4 * 312 + 1}}},
      {"it begins in the middle of a run", 10, {{3, 5, 25}, {2, 5, 15}, {4, 1, 31}}},
      {"steps count on", {}, {{1, 100, 100}, {2, 200, 200}, {3, 300, 300}}},
      {"steps count on, with a length", 100, {{1, 100, 100}, {2, 101, 101}}},
      {"steps from zero have a place of their own",
       {},
       {{0, 0, 0}, {0, 9, 9}, {1, 0, 10}, {1, 9, 19}, {2, 0, 20}}},
      {"one line per epoch has one place each", {}, {{1, 312, 312}, {2, 312, 624}, {3, 312, 936}}},
  };
  for (const PlacedSteps& each : cases) {
    StepClock clock;
    if (each.steps_per_epoch) clock.learn(*each.steps_per_epoch);
    for (const auto& [epoch, step, position] : each.steps)
      EXPECT_EQ(clock.position(epoch, step), position) << each.what << ": " << epoch << ' ' << step;
  }
}

TEST(StepClock, NeverMovesAnEpochThatARankHasReached) {
  StepClock clock;
  clock.position(1, 100);
  EXPECT_EQ(clock.position(2, 50), 150u);
  clock.position(1, 120);  // a slower rank prints a later step of epoch 1
  EXPECT_EQ(clock.position(2, 50), 150u);
}

std::string loss_line(int step) {
  return "epoch: 1 step: " + std::to_string(step) + ", loss is 2.3\n";
}

TEST(StepClock, TakesTheMeanOfAnEpochForNoStep) {
  struct Told {
    LossLine line;
    bool is_mean;
  };
  const Told lines[] = {
      {{3, 1, 1, {}, {}}, false},   {{2, 1, 2, {}, {}}, false},  {{2.5, 1, {}, {}, {}}, true},
      {{9, {}, {}, {}, {}}, false},  // It tells no epoch, and only one is left that told its step.
      {{9, {}, {}, {}, {}}, false}, {{9, 2, {}, {}, {}}, false}, {{1, 2, 7, {}, {}}, false},
      {{9, 3, {}, {}, {}}, false},  // The epoch of another step than the one before.
  };
  StepClock clock;
  std::optional<Sample> last;
  for (const Told& each : lines) {
    ASSERT_EQ(StepClock::is_mean(last, each.line), each.is_mean) << each.line.loss;
    if (!each.is_mean) last = clock.place(last, each.line);
  }
}

TEST(StepClock, TakesOnlyAFewLinesInARowForMeans) {
  StepClock clock;
  std::optional<Sample> last;
  for (std::uint64_t step = 1; step <= 100; ++step) last = clock.place(last, LossLine{2, {}, step, {}, {}});
  for (int line = 0; line < 3; ++line) EXPECT_TRUE(StepClock::is_mean(last, LossLine{1, {}, {}, {}, {}}));
  EXPECT_FALSE(StepClock::is_mean(last, LossLine{1, {}, {}, {}, {}}));
}

TEST(StepClock, KnowsTheStepsOfAllEpochsByTheirNumbersThatContinue) {
  StepClock clock;
  std::optional<Sample> last;
  for (std::uint64_t step = 10; step <= 1000; step += 10)
    last = clock.place(last, LossLine{2, (step - 1) / 250 + 1, step, {}, 1000});
  EXPECT_EQ(last->position, 1000U);
  EXPECT_TRUE(clock.counts_whole_run());
  StepClock restarting;
  last.reset();
  for (std::uint64_t i = 0; i < 100; ++i)
    last = restarting.place(last, LossLine{2, i / 25 + 1, (i % 25 + 1) * 10, {}, 255});
  EXPECT_EQ(last->position, 3 * 255 + 250U);
  EXPECT_FALSE(restarting.counts_whole_run());
}

TEST(StepReader, TellsTheStepOfEachRankAndWhenItMoves) {
  StepReader reader(2);
  EXPECT_EQ(reader.step_of(0), std::nullopt);
  EXPECT_FALSE(reader.feed(0, 0, "hello\n"));
  EXPECT_TRUE(reader.feed(0, 0, loss_line(1) + "more\n"));
  EXPECT_EQ(reader.step_of(0), 1U);
  EXPECT_FALSE(reader.feed(0, 0, loss_line(1))) << "the same step again";
  EXPECT_TRUE(reader.feed(0, 0, "loss is 2.1\n")) << "a line that names no step is the next one";
  EXPECT_EQ(reader.step_of(0), 2U);
  EXPECT_EQ(reader.step_of(1), std::nullopt);
}

TEST(StepReader, JoinsTheLinesOfEachStreamByItself) {
  StepReader reader(1);
  EXPECT_FALSE(reader.feed(0, 0, "epoch: 1 step: 7, lo"));
  EXPECT_FALSE(reader.feed(0, 1, "a warning\n"));
  EXPECT_TRUE(reader.feed(0, 0, "ss is 2.3\n"));
  EXPECT_EQ(reader.step_of(0), 7U);
}

TEST(StepReader, LooksOnlyAtTheEndOfLargePieces) {
  StepReader reader(1);
  const std::string noise(StepReader::most_bytes, 'x');
  EXPECT_FALSE(reader.feed(0, 0, loss_line(1) + noise));
  EXPECT_TRUE(reader.feed(0, 0, noise + "\n" + loss_line(4)));
  EXPECT_EQ(reader.step_of(0), 4U);
  EXPECT_TRUE(reader.feed(0, 0, noise + "\repoch: 1 step: 5, loss is 2.3\r")) << "a progress bar";
  EXPECT_EQ(reader.step_of(0), 5U);
}

}  // namespace
}  // namespace adarun::monitor
