// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

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
