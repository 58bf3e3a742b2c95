// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/gradient_line.h"

#include <gtest/gtest.h>

#include "monitor/series/run.h"
#include "monitor/view/summary.h"

namespace adarun::monitor {
namespace {

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
