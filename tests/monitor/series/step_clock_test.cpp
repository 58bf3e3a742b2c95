// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_clock.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

TEST(StepClock, AppendsEpochsWhoseStepsBeginAgain) {
  StepClock clock;
  EXPECT_EQ(clock.position(1, 100), 100u);
  EXPECT_EQ(clock.position(1, 300), 300u);
  EXPECT_EQ(clock.position(2, 100), 400u);
  EXPECT_EQ(clock.position(2, 300), 600u);
  EXPECT_EQ(clock.position(3, 100), 700u);
}

TEST(StepClock, KnowsTheTrueLengthOfAnEpochWhereItIsPrinted) {
  StepClock clock;
  clock.learn(312);
  EXPECT_EQ(clock.position(1, 300), 300u);
  EXPECT_EQ(clock.position(2, 100), 412u);
  EXPECT_EQ(clock.position(5, 1), 4 * 312u + 1);
}

TEST(StepClock, BeginsInTheMiddleOfARun) {
  StepClock clock;
  clock.learn(10);
  EXPECT_EQ(clock.position(3, 5), 25u);
  EXPECT_EQ(clock.position(2, 5), 15u);
  EXPECT_EQ(clock.position(4, 1), 31u);
}

TEST(StepClock, LeavesStepsAloneThatCountOn) {
  StepClock clock;
  EXPECT_EQ(clock.position(1, 100), 100u);
  EXPECT_EQ(clock.position(2, 200), 200u);
  EXPECT_EQ(clock.position(3, 300), 300u);
  StepClock told;
  told.learn(100);
  EXPECT_EQ(told.position(1, 100), 100u);
  EXPECT_EQ(told.position(2, 101), 101u);
}

TEST(StepClock, GivesStepsFromZeroAPlaceOfTheirOwn) {
  StepClock clock;
  EXPECT_EQ(clock.position(0, 0), 0u);
  EXPECT_EQ(clock.position(0, 9), 9u);
  EXPECT_EQ(clock.position(1, 0), 10u);
  EXPECT_EQ(clock.position(1, 9), 19u);
  EXPECT_EQ(clock.position(2, 0), 20u);
}

TEST(StepClock, GivesOneLinePerEpochOnePlaceEach) {
  StepClock clock;
  EXPECT_EQ(clock.position(1, 312), 312u);
  EXPECT_EQ(clock.position(2, 312), 624u);
  EXPECT_EQ(clock.position(3, 312), 936u);
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
