// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/metric_line.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

constexpr auto none = std::nullopt;

struct Accepted {
  std::string text;
  MetricLine line;
};

const Accepted accepted[] = {
    {"Train epoch time: 1234.567 ms, per step time: 12.345 ms", {1234.567, 12.345, none, none}},
    {"epoch time: 1234.567 ms, per step time: 12.345 ms", {1234.567, 12.345, none, none}},
    {"epoch time: 60000 ms", {60000, none, none, none}},
    {"throughput: 1234.5 images/s", {none, none, 1234.5, none}},
    {"throughput: 7109 images/s, 16 ranks", {none, none, 7109, none}},
    {"accuracy: 0.98", {none, none, none, 0.98}},
    {"\x1b[32maccuracy: 0.98\x1b[0m\r\n", {none, none, none, 0.98}},
    {"accuracy: 98%", {none, none, none, 0.98}},
    {"Test set: Average loss: 0.0489, Accuracy: 980/1000 (98%)", {none, none, none, 0.98}},
    {"Eval result: epoch 3, metrics: {'acc': 0.98}", {none, none, none, 0.98}},
    {"Eval result: epoch 3, metrics: {'top_1_accuracy': 0.75, 'top_5_accuracy': 0.9}",
     {none, none, none, 0.75}},
};

const std::string refused[] = {
    "",
    "epoch time: soon",
    "epoch time: 12 s",
    "step time: 12.345 ms",
    "throughput: 12 batches/s",
    "throughput: many images/s",
    "throughput: nan images/s",
    "throughput 12 images/s",
    "accuracy 0.98",
    "accuracy: 1.98",
    "accuracy: -0.1",
    "accuracy: 198%",
    "accuracy: 12/0",
    "accuracy: 13/12",
    "inaccuracy: 0.5",
};

TEST(MetricLine, ReadsEachFormat) {
  for (const Accepted& each : accepted) {
    const auto line = parse_metric_line(each.text);
    ASSERT_TRUE(line) << each.text;
    EXPECT_TRUE(*line == each.line) << each.text;
  }
}

TEST(MetricLine, RefusesWhatOnlyLooksLikeOne) {
  for (const std::string& text : refused) EXPECT_FALSE(parse_metric_line(text)) << text;
}

TEST(MetricLine, TellsTheStepsOfAnEpochOnlyWhereTheTimesArePreciseEnough) {
  EXPECT_EQ(parse_metric_line("epoch time: 3851.640 ms, per step time: 12.345 ms")->steps_per_epoch(), 312u);
  EXPECT_EQ(parse_metric_line("epoch time: 31.2 ms, per step time: 0.100 ms")->steps_per_epoch(), none);
  EXPECT_EQ(parse_metric_line("epoch time: 31.2 ms")->steps_per_epoch(), none);
  EXPECT_EQ(parse_metric_line("epoch time: 31.2 ms, per step time: 0 ms")->steps_per_epoch(), none);
}

}  // namespace
}  // namespace adarun::monitor
