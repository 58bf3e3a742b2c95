// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_line.h"

#include <gtest/gtest.h>

#include "monitor/parse/loss_word.h"
#include "tests/monitor/parse/loss_lines.h"

namespace adarun::monitor {
namespace {

TEST(LossLine, ReadsEachFormat) {
  for (const Accepted& each : accepted) {
    const auto line = parse_loss_line(each.text);
    ASSERT_TRUE(line) << each.text;
    EXPECT_TRUE(same(*line, each.line)) << each.text << ": loss " << line->loss << " epoch "
                                        << line->epoch.value_or(0) << " step " << line->step.value_or(0);
  }
}

TEST(LossLine, TakesThatOfAPolicyOnlyWhereThereIsNoOther) {
  for (const char* text :
       {"step: 4, policy_loss: 0.25, value_loss: 1.5, loss: 1.0",
        "step: 4, actor_loss: 0.25, total_loss: 1.0", "step: 4, loss: 1.0, actor_loss: 0.25"})
    EXPECT_EQ(parse_loss_line(text), (LossLine{1, {}, 4, {}, {}})) << text;
  EXPECT_EQ(parse_loss_line("step: 4, actor_loss: 0.25, critic_loss: 1.0"), (LossLine{0.25, {}, 4, {}, {}}));
}

TEST(LossLine, TakesThatOfASurrogateUnlessItIsATableOfMeans) {
  EXPECT_EQ(parse_loss_line("iter 10 surrogate loss: 0.02"), (LossLine{0.02, {}, 10, {}, {}}));
  EXPECT_EQ(parse_loss_line("surrogate loss: 0.02"), (LossLine{0.02, {}, {}, {}, {}}));
  EXPECT_FALSE(parse_loss_line("    Mean surrogate loss: 0.02"));
}

TEST(LossLine, ReadsTheLossesOfValidations) {
  for (const Accepted& each : validations) {
    const auto line = parse_losses(each.text).validation;
    ASSERT_TRUE(line) << each.text;
    EXPECT_TRUE(same(*line, each.line)) << each.text << ": loss " << line->loss << " epoch "
                                        << line->epoch.value_or(0) << " step " << line->step.value_or(0);
  }
}

TEST(LossLine, TakesNoOtherLossForAValidations) {
  for (const char* text : {"epoch: 1 step: 2, loss is 3", "tests/val.py:12 loss is 3", "best_val_loss=0.3",
                           "val_loss", "Epoch 2, global step 300: 'val_loss' reached 0.30412",
                           "Epoch 00003: val_loss improved from 0.5 to 0.4", "│  test_loss  │  0.045  │",
                           "  eval_loss               =     0.5823", "val_acc: 0.5, interval loss: 2"})
    EXPECT_FALSE(parse_losses(text).validation) << text;
}

TEST(LossLine, RefusesWhatOnlyLooksLikeOne) {
  for (const std::string& text : refused) EXPECT_FALSE(parse_loss_line(text)) << text;
}

TEST(LossLine, TakesNoFractionForAnEpochOrStep) {
  const auto line = parse_loss_line("epoch: 1.5 step: 2.25, loss is 3");
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->epoch);
  EXPECT_FALSE(line->step);
}

TEST(LossWord, IsKnownInAnyCase) {
  EXPECT_EQ(loss_word("loss"), LossWord::loss);
  EXPECT_EQ(loss_word("Global_Step"), LossWord::global_step);
  EXPECT_EQ(loss_word("CrossEntropyLoss"), LossWord::training_loss);
  EXPECT_EQ(loss_word("validation_loss"), LossWord::validation_loss);
  for (const char* word : {"", "los", "losses", "zz", "act", "kl_loss"})
    EXPECT_EQ(loss_word(word), LossWord::other) << word;
}

TEST(LossPlace, IsToldByALineWithoutALoss) {
  EXPECT_EQ(parse_place("[epoch=2/3][batch=7/100]:"), (LossLine{0, 2, 7, 3, 100}));
  EXPECT_EQ(parse_place("\x1b[1mStep 100:\x1b[0m"), (LossLine{0, {}, 100, {}, {}}));
  EXPECT_EQ(parse_place("saved"), LossLine{});
}

}  // namespace
}  // namespace adarun::monitor
