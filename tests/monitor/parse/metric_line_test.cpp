// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/metric_line.h"

#include <gtest/gtest.h>

#include <string>

#include "monitor/series/run.h"
#include "monitor/view/summary.h"

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

// In the format of adarun-trainer.
const std::string ours =
    "In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, training process cannot continue, terminating "
    "training.";

TEST(GradientLine, TellsWhereAndWhose) {
  EXPECT_EQ(parse_gradient_line(ours), (GradientLine{2, 17, 3}));
  EXPECT_EQ(parse_gradient_line("\x1b[31m" + ours + "\x1b[0m"), (GradientLine{2, 17, 3}));
}

TEST(GradientLine, IsNoOtherLine) {
  for (const char* other :
       {"", "gradient of rank 3 is NAN or INF", "In epoch: 2 step: 17, loss is NAN or INF, ...",
        "In epoch: 2 step: 17, gradient of rank 3 is fine",
        "In epoch: 2 step: 17, gradient of rank x is NAN or INF",
        "In epoch: 2 step: 17, gradient of rank 99999999999 is NAN or INF",
        "In epoch: two step: 17, gradient of rank 3 is NAN or INF"})
    EXPECT_EQ(parse_gradient_line(other), std::nullopt) << other;
}

std::string summary(const monitor::Run& run) {
  std::string text;
  for (const std::string& line : summary_lines(summary_of(run), [](std::uint32_t) { return std::string(); }))
    text += line + "\n";
  return text;
}

TEST(GradientLine, IsInTheSummaryOfItsRun) {
  monitor::Run run;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    run.feed(rank, "epoch: 2 step: 16, loss is 0.5\n" + ours + "\n");
  EXPECT_NE(summary(run).find("gradient    rank 3, epoch 2 step 17: its gradients held nan or inf"),
            std::string::npos)
      << summary(run);
  for (std::uint32_t rank = 0; rank < 4; ++rank) run.feed(rank, "epoch: 2 step: 10, loss is 0.5\n");
  EXPECT_EQ(summary(run).find("gradient"), std::string::npos) << "the run went back to before it";
}

TEST(GradientLine, IsToldThoughThereIsNoLossYet) {
  monitor::Run run;
  run.feed(0, ours + "\n");
  EXPECT_NE(summary(run).find("gradient    rank 3, epoch 2 step 17"), std::string::npos);
}

}  // namespace
}  // namespace adarun::monitor
