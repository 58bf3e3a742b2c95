// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/epoch_heading.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "monitor/parse/log_reader.h"

namespace adarun::monitor {
namespace {

struct Losses {
  std::vector<LossLine> training;
  std::vector<LossLine> validation;
};

Losses losses_of(const std::string& text) {
  Losses losses;
  LogReader reader;
  const LogListener listener{.loss = [&](const LossLine& line) { losses.training.push_back(line); },
                             .metrics = [](const MetricLine&) {},
                             .validation = [&](const LossLine& line) { losses.validation.push_back(line); }};
  reader.feed(text, listener);
  reader.finish(listener);
  return losses;
}

TEST(EpochHeading, IsALineWithNoOtherWord) {
  const EpochLine third{3, 10};
  for (const char* text : {"Epoch 3/10", "EPOCH 3/10:", "----- Epoch [3/10] -----", "Epoch: 3/10\r\n",
                           "\x1b[1mEpoch 3/10\x1b[0m"})
    EXPECT_EQ(parse_epoch_line(text), third) << text;
  EXPECT_EQ(parse_epoch_line("Epoch 3"), (EpochLine{3, std::nullopt}));
  for (const char* text :
       {"Saved epoch 3", "Epoch 3: early stopping", "[1] Epoch 3", "Epoch 3.5", "Epoch 3 4", "Epoch",
        "Epochs 3/10", "Epoch x", "", "Epoch 99999999999999999999999"})
    EXPECT_FALSE(parse_epoch_line(text)) << text;
}

TEST(EpochHeading, TellsTheEpochOfLinesThatDoNot) {
  const Losses losses =
      losses_of("Epoch 3/10\nloss: 2\nepoch: 5 step: 1, loss is 1\nloss: 3\nepoch 4\nloss=4\nloss=5\n");
  const std::vector<LossLine> expected{
      {2, 3, {}, 10, {}}, {1, 5, 1, {}, {}}, {3, {}, {}, {}, {}}, {4, 4, {}, {}, {}}, {5, 4, {}, {}, {}}};
  EXPECT_EQ(losses.training, expected);
}

TEST(EpochHeading, TellsAnEvaluationByItsNumberOfSteps) {
  const Losses losses = losses_of(
      "Epoch 1/2\n5/5 - 1s - loss: 2\n3/3 - 1s - loss: 7\nEpoch 2/2\n4/4 - 1s - loss: 1 - val_loss: 3\n");
  const std::vector<LossLine> training{{2, 1, 5, 2, 5}, {1, 2, 4, 2, 4}};
  const std::vector<LossLine> validation{{7, 1, {}, 2, {}}, {3, 2, 4, 2, {}}};
  EXPECT_EQ(losses.training, training);
  EXPECT_EQ(losses.validation, validation);
}

TEST(EpochHeading, EndsWithItsLog) {
  std::vector<LossLine> lines;
  const LogListener listener{.loss = [&](const LossLine& line) { lines.push_back(line); },
                             .metrics = [](const MetricLine&) {}};
  LogReader reader;
  reader.feed("Epoch 3/10\n", listener);
  reader.reset();
  reader.feed("loss: 2\n", listener);
  EXPECT_EQ(lines, (std::vector<LossLine>{{2, {}, {}, {}, {}}}));
}

}  // namespace
}  // namespace adarun::monitor
