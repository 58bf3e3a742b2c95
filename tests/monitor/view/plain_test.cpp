// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/plain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adarun::monitor {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::seconds;

std::string line(int step, const std::string& loss) {
  return "epoch: 1 step: " + std::to_string(step) + ", loss is " + loss + "\n";
}

struct PlainViewTest : testing::Test {
  monitor::Run run;
  PlainView view;
  PlainView::Clock::time_point start{};
};

TEST_F(PlainViewTest, TellsAStepWhenEveryRankHasPrintedIt) {
  run.expect(2);
  EXPECT_EQ(view.due(run, start), Lines{});
  run.feed(0, line(40, "0.79"));
  EXPECT_EQ(view.due(run, start), Lines{});
  run.feed(1, line(40, "0.84"));
  EXPECT_EQ(view.due(run, start),
            Lines{"epoch 1 step 40  loss 0.8150 (min 0.7900, max 0.8400 over 2 ranks)"});
  EXPECT_EQ(view.due(run, start), Lines{});
}

TEST_F(PlainViewTest, DoesNotWaitForEverForARankThatIsBehind) {
  run.expect(2);
  run.feed(0, line(40, "0.79"));
  EXPECT_EQ(view.due(run, start), Lines{});
  EXPECT_EQ(view.due(run, start + seconds(1)), Lines{});
  EXPECT_EQ(view.due(run, start + seconds(3)), Lines{"epoch 1 step 40  loss 0.7900"});
}

TEST_F(PlainViewTest, DoesNotWaitForARankThatHasEnded) {
  run.expect(2);
  run.set_state(1, ProcessState::failed);
  run.feed(0, line(40, "0.79"));
  EXPECT_EQ(view.due(run, start).size(), 1u);
}

TEST_F(PlainViewTest, ShowsThroughputFromWhereItIsKnownAndLossesThatAreNoNumbers) {
  run.feed(0, line(1, "2") + "throughput: 1234.4 images/s\n" + line(2, "nan"));
  run.feed(1, line(1, "2") + line(2, "3"));
  run.feed(2, line(1, "2") + line(2, "5"));
  EXPECT_EQ(view.rest(run),
            (Lines{"epoch 1 step 1  loss 2.0000 (min 2.0000, max 2.0000 over 3 ranks)  1,234 images/s",
                   "epoch 1 step 2  loss 4.0000 (min 3.0000, max 5.0000 over 2 ranks)  nan or inf on 1 rank"
                   "  1,234 images/s"}));
}

TEST_F(PlainViewTest, LeavesThroughputOutBeforeItWasPrinted) {
  run.feed(0, line(1, "2") + line(2, "2") + "throughput: 10 images/s\n");
  EXPECT_EQ(view.rest(run),
            (Lines{"epoch 1 step 1  loss 2.0000", "epoch 1 step 2  loss 2.0000  10 images/s"}));
}

TEST_F(PlainViewTest, TellsTheRestAtTheEnd) {
  run.expect(2);
  run.feed(0, line(1, "2") + line(2, "1"));
  EXPECT_EQ(view.rest(run).size(), 2u);
  EXPECT_EQ(view.rest(run).size(), 0u);
}

TEST_F(PlainViewTest, TellsStepsThatAreDoneAgainWithoutAWaitForARankThatPrintsNone) {
  run.feed(0, line(1, "2") + line(2, "2") + line(3, "2"));
  EXPECT_EQ(view.due(run, start).size(), 3u);
  run.next_attempt(2, "restart");
  run.expect(2);
  run.feed(0, line(1, "4"));
  EXPECT_EQ(view.due(run, start), Lines{});
  EXPECT_EQ(view.due(run, start + seconds(3)), Lines{"epoch 1 step 1  loss 4.0000"});
}

TEST_F(PlainViewTest, ContinuesWithTheStepsOfAnotherAttempt) {
  run.feed(0, line(1, "2") + line(2, "2") + line(3, "2"));
  EXPECT_EQ(view.due(run, start).size(), 3u);
  run.next_attempt(2, "restart");
  EXPECT_EQ(view.due(run, start).size(), 0u);
  run.feed(0, line(2, "1"));
  EXPECT_EQ(view.due(run, start), Lines{"epoch 1 step 2  loss 1.0000"});
  run.feed(0, line(3, "1"));
  run.next_attempt(3, "restart");
  run.feed(0, line(3, "1") + line(4, "1") + line(5, "1"));
  EXPECT_EQ(view.due(run, start).size(), 3u) << "step 3 again, also where it has passed the last one";
}

}  // namespace
}  // namespace adarun::monitor
