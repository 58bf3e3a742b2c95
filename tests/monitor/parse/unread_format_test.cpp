// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/unread_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "monitor/parse/line_pattern.h"
#include "tests/monitor/parse/loss_lines.h"

namespace adarun::monitor {
namespace {

struct Unread {
  std::string name;
  std::string heading;
  std::string row;
  LossLine line;
};

const Unread unread[] = {
    {"fastai",
     "epoch     train_loss  valid_loss  accuracy  time    \n",
     "1         0.688286    0.281458    0.926667  00:12     ",
     {0.688286, 1, none, none, none}},
    {"fastai",
     "epoch     train_loss  valid_loss  time    \n",
     "1         0.688286    None        00:12     ",
     {0.688286, 1, none, none, none}},
    {"fastai",
     "epoch     train_loss  valid_loss  time    \n",
     "1         nan         nan         00:12     ",
     {std::nan(""), 1, none, none, none}},
    {"ultralytics",
     "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n",
     "      1/3      1.18G      1.301        3.7        1.2         17        640: 8% \u2501\u2501 1/12 "
     "3.5it/s 3.5s0.2s",
     {1.301, 1, 1, 3, 12}},
    {"ultralytics",
     "      Epoch   gpu_mem       box_loss  obj_loss  cls_loss\n",
     "      0/2      3.6G   0.04   0.06   0.02   29   640:  50%|##### | 4/8 [00:01<00:01,  2.3it/s]",
     {0.04, 0, 4, 2, 8}},
    {"tf_cnn_benchmarks",
     "Step\tImg/sec\ttotal_loss\ttop_1_accuracy\n",
     "10\timages/sec: 492.6 +/- 0.1 (jitter = 0.2)\t8.844\t0.004",
     {8.844, none, 10, none, none}},
    {"Stable Baselines3",
     "| train/                |            |\n",
     "|    loss               | 0.45       |",
     {0.45, none, none, none, none}},
    {"Stable Baselines3",
     "| train/             |          |\n|    actor_loss      | 9        |\n",
     "|    critic_loss     | 1.2      |",
     {1.2, none, none, none, none}},
    {"Stable Baselines3",
     "| train/                |            |\n|    policy_loss        | 9          |\n",
     "|    value_loss         | 0.03       |",
     {0.03, none, none, none, none}},
    {"spaCy",
     "E    #       LOSS TOK2VEC  LOSS NER  SCORE\n",
     "  0     200         inf     1000.0   0.1",
     {HUGE_VAL, 0, 200, none, none}},
    {"spaCy",
     "E    #       LOSS TOK2VEC  LOSS NER  SCORE\n",
     "  0     200        12.5     1000.0   0.1",
     {12.5, 0, 200, none, none}},
    {"XGBoost", "", "[3]\ttrain-logloss:0.48\teval-logloss:0.5", {0.48, none, 3, none, none}},
    {"XGBoost", "", "[3]\ttrain-logloss:nan\teval-logloss:nan", {std::nan(""), none, 3, none, none}},
    {"XGBoost", "", "[10:00:00] [3]\tvalidation_0-mlogloss:0.5", {0.5, none, 3, none, none}},
    {"CatBoost", "", "7:\tlearn: 0.5\ttotal: 1ms\tremaining: 2s", {0.5, none, 7, none, none}},
    {"trl's PPO", "", "{'loss/policy_avg': -0.0125, 'episode': 8}", {-0.0125, none, none, none, none}},
};

TEST(UnreadFormat, IsNamedWithThePatternThatReadsIt) {
  for (const Unread& each : unread) {
    EXPECT_FALSE(parse_loss_line(each.row)) << each.row;
    const std::string hint = unread_format_in("first line\n" + each.heading + each.row + "\n");
    EXPECT_NE(hint.find("it looks like a "), std::string::npos) << each.row << ": " << hint;
    EXPECT_NE(hint.find(each.name + ", which this reads: --pattern '"), std::string::npos) << hint;
    const std::size_t begin = hint.find('\'', hint.find("--pattern ")) + 1;
    const auto match = LinePattern(hint.substr(begin, hint.size() - 1 - begin)).read(each.row);
    ASSERT_TRUE(match && match->loss) << hint;
    EXPECT_TRUE(same(*match->loss, each.line)) << hint;
  }
}

TEST(UnreadFormat, IsShownByALineWithTheWordWhereItIsNotKnown) {
  EXPECT_EQ(unread_format_in("begin\nThe Loss now is at 2.5 units\nend"),
            "a line that has the word is \"The Loss now is at 2.5 units\", which --pattern may read");
  const std::string shown = unread_format_in("loss" + std::string(1000, '7'));
  EXPECT_EQ(shown,
            "a line that has the word is \"loss" + std::string(76, '7') + "...\", which --pattern may read");
  for (const char* text : {"", "no such line", "loss", "loss\n12", "the losses are low\n",
                           "| train/             |          |\n|    ent_coef        | 0.5      |\n"})
    EXPECT_EQ(unread_format_in(text), "") << text;
}

}  // namespace
}  // namespace adarun::monitor
