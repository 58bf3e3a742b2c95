// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/run_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace adarun::monitor {
namespace {

monitor::Run sample_run(std::uint32_t ranks) {
  monitor::Run run;
  run.expect(ranks);
  for (int step = 1; step <= 40; ++step) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const double loss = 0.4 + 2 * std::exp(-step / 10.0) + 0.02 * static_cast<double>(rank);
      run.feed(rank, "epoch: [1/2] step: [" + std::to_string(step * 5) + "/312], loss is " +
                         std::to_string(loss) + "\n");
    }
  }
  return run;
}

monitor::Run troubled_run() {
  monitor::Run run = sample_run(64);
  run.set_state(7, ProcessState::failed);
  run.set_state(8, ProcessState::stopped);
  run.feed(9, "epoch: 1 step: 205, loss is nan\n");
  for (int step = 205; step <= 225; step += 5) {
    for (std::uint32_t rank = 10; rank < 64; ++rank) {
      run.feed(rank, "epoch: 1 step: " + std::to_string(step) + ", loss is 0.5\n");
    }
  }
  return run;
}

std::string picture(const Run& run, const Style& style, ViewContext context) {
  std::string text = "\n";
  context.findings = findings(run);
  for (const StyledLine& line : draw_run(run, context, style))
    text += line.bytes().substr(0, line.bytes().find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::string picture(const Run& run, const Style& style, const ViewState& state = {}) {
  return picture(run, style, ViewContext{.state = state});
}

TEST(RunView, SaysWhichRanksAreLost) {
  monitor::Run run = sample_run(2);
  run.set_state(0, ProcessState::lost);
  run.set_state(1, ProcessState::running);
  const std::string text = picture(run, {});
  EXPECT_NE(text.find("▁ lost\n   1"), std::string::npos) << text;
}

TEST(RunView, ShowsTheLossOfTheLastValidation) {
  monitor::Run run = sample_run(1);
  EXPECT_EQ(picture(run, {}).find("validation"), std::string::npos);
  run.feed(0, "val_loss: 0.75\n");
  EXPECT_NE(picture(run, {}).find("loss 0.4366  validation 0.7500  best 0.4366"), std::string::npos)
      << picture(run, {});
}

TEST(RunView, DrawsTheLossesOfValidationsAsAnotherCurve) {
  monitor::Run run;
  for (int step = 1; step <= 40; ++step) {
    run.feed(
        0, "epoch: 1 step: " + std::to_string(step) + ", loss is " + std::to_string(1 - 0.01 * step) + "\n");
    if (step % 20 == 0) run.feed(0, "val_loss: " + std::to_string(2 + 0.01 * step) + "\n");
  }
  const Style ascii{.width = 40, .height = 12, .color = false, .unicode = false};
  const std::string plain = picture(run, ascii);
  EXPECT_NE(plain.find(" 2.4000 |               oooooooooooooooo\n"), std::string::npos) << plain;
  EXPECT_NE(picture(run, {.color = true}).find("\x1b[33m⣀"), std::string::npos)
      << picture(run, {.color = true});
  EXPECT_NE(picture(run, {.color = false}).find("ooo"), std::string::npos);
  EXPECT_EQ(picture(sample_run(1), ascii).find('o' + std::string("oo")), std::string::npos);
}

TEST(RunView, FitsAnySize) {
  for (const std::uint32_t ranks : {0U, 1U, 16U, 300U}) {
    const monitor::Run run = sample_run(ranks);
    for (const int width : {1, 10, 29, 30, 40, 80, 200}) {
      for (const int height : {2, 3, 4, 8, 10, 24, 50}) {
        const auto lines = draw_run(run, {}, {.width = width, .height = height});
        EXPECT_LE(static_cast<int>(lines.size()), height - 1) << width << "x" << height << ", " << ranks;
        for (const StyledLine& line : lines) EXPECT_LE(line.columns(), width);
      }
    }
  }
}

TEST(RunView, DrawsCurveAndRanksIn80x24) {
  EXPECT_EQ(picture(sample_run(16), {}), R"(
epoch 1/2  step 200/312   16 ranks
 2.5097 ┤⡀░
        │⠈⠢⡀░
        │ ░⠈⠢⣀░░
        │   ░░⠑⢄⡀░░
        │     ░░⠈⠒⠤⡀░░░
 1.4732 ┤        ░░⠈⠑⠢⢄⡀░░░
        │           ░░░⠈⠑⠒⠤⣀⡀░░░░
        │               ░░░░⠈⠑⠒⠤⠤⣀⣀░░░░░░░░
        │                    ░░░░░░⠉⠉⠒⠒⠤⠤⠤⣀⣀⣀░░░░░░░░░░░░░░░░░
        │                           ░░░░░░░░░⠉⠉⠉⠉⠑⠒⠒⠒⠒⠤⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡀░░░░░░░
 0.4366 ┤                                        ░░░░░░░░░░░░░░░░░░░░░░░⠈⠉⠉⠉⠉⠉⠉⠉
        └ epoch 1 step 5                                        epoch 1 step 200
loss 0.5866 (min 0.4366, max 0.7366, 16 ranks)  best 0.5866, epoch 1 step 200
rank step    loss trend                  rank step    loss trend
   0  200  0.4366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁          8  200  0.5966 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   1  200  0.4566 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁          9  200  0.6166 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   2  200  0.4766 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         10  200  0.6366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   3  200  0.4966 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         11  200  0.6566 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   4  200  0.5166 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         12  200  0.6766 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   5  200  0.5366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         13  200  0.6966 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   6  200  0.5566 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         14  200  0.7166 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   7  200  0.5766 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁         15  200  0.7366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
)");
}

// Of 16 ranks, in 40 columns and 7 rows.
const std::string small_curve = R"(
epoch 1/2  step 200/312   16 ranks
 2.5097 ┤⠢⢄░
        │ ░⠉⠢⢄⡀░
        │    ░⠈⠉⠒⠢⠤⣀⣀⡀░░░░
 0.4366 ┤          ░░⠈⠉⠉⠉⠑⠒⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤
        └               epoch 1 step 200
loss 0.5866 (min 0.4366, max 0.7366, 16
)";

TEST(RunView, MakesDoWith40x12) {
  EXPECT_EQ(picture(sample_run(16), {.width = 40, .height = 12}), small_curve + R"(rank step    loss trend
   0  200  0.4366 █▇▅▄▄▃▃▂▂▂▂▁▁▁▁▁▁
   1  200  0.4566 █▇▅▄▄▃▃▂▂▂▂▁▁▁▁▁▁
                             and 14 more
)");
}

TEST(RunView, LeavesOutTheRanksThenTheCurveWhereThereIsLittleRoom) {
  EXPECT_EQ(picture(sample_run(16), {.width = 40, .height = 8}), small_curve);
  EXPECT_EQ(picture(sample_run(16), {.width = 40, .height = 4}), R"(
epoch 1/2  step 200/312   16 ranks
loss 0.5866 (min 0.4366, max 0.7366, 16
)");
  EXPECT_EQ(picture(sample_run(16), {.width = 80, .height = 2}), R"(
epoch 1/2  step 200/312   16 ranks
)");
}

TEST(RunView, NamesRanksInTroubleFirstWhereTheyDoNotAllFit) {
  EXPECT_EQ(picture(troubled_run(), {.width = 80, .height = 16, .unicode = false}), R"(
epoch 1/2  step 225/312   64 ranks
 3.4697 |.......
        |*******...........
 1.9532 |......************.............................................
        |      ...........**********************************************.
 0.4366 |                  .............................................********
        + epoch 1 step 5                                        epoch 1 step 225
loss 0.5000 (min 0.5000, max 0.5000, 54 ranks)  best 0.5000, epoch 1 step 205
nan or inf: rank 9, epoch 1 step 205: its loss is nan or inf; that of no other
  rank is
rank step    loss trend                  rank step    loss trend
   7  200  0.5766 =--...__________ FAIL     2  200  0.4766 =--...__________ slow
   9  205     nan =--...__________ NaN      3  200  0.4966 =--...__________ slow
   0  200  0.4366 =--...__________ slow     4  200  0.5166 =--...__________ slow
   1  200  0.4566 =--...__________ slow                              and 57 more
)");
}

// Three ranks on two nodes, of which one is slow.
monitor::Run timed_run() {
  monitor::Run run = sample_run(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    run.feed(rank, "Train epoch time: 3900.0 ms, per step time: " + std::string(rank == 2 ? "31.5" : "12.5") +
                       " ms\n");
  return run;
}

TEST(RunView, PutsStragglersOnTopWithNodesAndTimesPerStepAndSaysWhatIsLeft) {
  const monitor::Run run = timed_run();
  ViewContext context;
  context.steps_per_s = 10;
  context.elapsed = std::chrono::seconds(75);
  context.state.rank = 1;
  context.node_of = [](std::uint32_t rank) { return rank < 2 ? "gpu1" : "gpu2"; };
  context.has_keys = true;
  EXPECT_EQ(picture(run, {.width = 100, .height = 14, .unicode = false}, context), R"(
epoch 1/2  step 200/312   3 ranks   1:15   0:42 left   10 steps/s   100.0 ms/step             ? help
 2.2497 |*****
        |    ********
 1.3432 |           ***********
        |                    .******************.
 0.4366 |                                     .*****************************************************
        + epoch 1 step 5                                                            epoch 1 step 200
rank 1 0.4566  loss 0.4566 (min 0.4366, max 0.4766, 3 ranks)                                  rank 1
straggler: rank 2 on gpu2, epoch 1 step 200: 31.500 ms a step, others 12.500 ms
rank node step    loss     ms trend
   2 gpu2  200  0.4766  31.50 ==---...._______________ slow
   0 gpu1  200  0.4366  12.50 ==---...._______________
  >1 gpu1  200  0.4566  12.50 ==---...._______________
)");
}

TEST(RunView, CutsNamesOfNodesByCharacters) {
  const monitor::Run run = timed_run();
  ViewContext context;
  context.node_of = [](std::uint32_t) { return "größeäöüäöü-123456789"; };
  const std::string text = picture(run, {.width = 100, .height = 14}, context);
  EXPECT_NE(text.find("größeäöüäöü-1234  200"), std::string::npos) << text;
}

TEST(RunView, DrawsOneRankZoomedSmoothedAndOnALogarithmicScale) {
  ViewState state;
  state.log_scale = true;
  state.smooth = 4;
  state.zoom = 1;
  state.rank = 15;
  EXPECT_EQ(picture(sample_run(16), {.width = 80, .height = 14}, state), R"(
epoch 1/2  step 200/312   16 ranks
 0.9449 ┤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠤⠤⠤⠤⠤⠤⠤⠤⣀⣀⣀⣀⣀⣀⣀⣀⣀
        │░░░░░░░░░░░░░░░░░░░░░░░░░░░⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤
 0.6423 ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        │         ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
 0.4366 ┤                                ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        └ epoch 1 step 105                                      epoch 1 step 200
rank 15 0.7366  loss 0.5866                zoom 2x, log scale, smooth 4, rank 15
rank step    loss trend                  rank step    loss trend
   0  200  0.4366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁          4  200  0.5166 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   1  200  0.4566 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁          5  200  0.5366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   2  200  0.4766 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁        >15  200  0.7366 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁
   3  200  0.4966 █▆▅▄▃▃▂▂▂▂▁▁▁▁▁▁                                    and 9 more
)");
}

TEST(RunView, ShowsHelpInsteadOfTheRanks) {
  ViewState state;
  state.help = true;
  const std::string text = picture(sample_run(16), {}, state);
  EXPECT_EQ(text.find("rank step"), std::string::npos) << text;
  EXPECT_NE(text.find("zoom in"), std::string::npos) << text;
}

TEST(RunView, SaysThatItWaits) {
  EXPECT_EQ(picture(monitor::Run(), {.height = 8}), R"(
waiting for the first loss line
        │
        │
        │
        │
        └

)");
}

TEST(RunView, ColoursEachPieceAndEndsItsColour) {
  for (const StyledLine& line : draw_run(sample_run(16), {}, {.color = true})) {
    const std::size_t last = line.bytes().rfind("\x1b[");
    if (last == std::string::npos) continue;
    EXPECT_EQ(line.bytes().substr(last, 4), "\x1b[0m") << line.bytes();
  }
  EXPECT_EQ(draw_run(sample_run(16), {}, {})[0].bytes().find('\x1b'), std::string::npos);
  EXPECT_EQ(draw_run(sample_run(16), {}, {.color = true})[0].bytes().substr(0, 5), "\x1b[1me");
}

TEST(RunView, MarksWhereAnotherAttemptBegins) {
  monitor::Run run = sample_run(2);
  run.next_attempt(2, "node2 is lost");
  for (int step = 110; step <= 220; step += 10)
    run.feed(0, "epoch: 1 step: " + std::to_string(step) + ", loss is 1\n");
  const std::string text = picture(run, {});
  EXPECT_NE(text.find("↑ node2 is lost"), std::string::npos) << text;
  EXPECT_NE(text.find("attempt 2"), std::string::npos) << text;
  EXPECT_EQ(picture(sample_run(2), {}).find("↑"), std::string::npos);
}

}  // namespace
}  // namespace adarun::monitor
