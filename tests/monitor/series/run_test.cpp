// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "monitor/series/facts.h"

namespace adarun::monitor {
namespace {

std::string line(int epoch, int step, const std::string& loss) {
  return "epoch: " + std::to_string(epoch) + " step: " + std::to_string(step) + ", loss is " + loss + "\n";
}

TEST(Run, MergesTheRanksOfAStep) {
  monitor::Run run;
  run.feed(0, line(1, 10, "4"));
  run.feed(1, line(1, 10, "1"));
  run.feed(2, line(1, 10, "2"));
  ASSERT_EQ(run.merged().size(), 1u);
  EXPECT_EQ(run.merged()[0], (MergedPoint{10, 1, 10, 1, 2, 4, 3, 0}));
  run.feed(3, line(1, 10, "3"));
  EXPECT_EQ(run.merged()[0], (MergedPoint{10, 1, 10, 1, 2.5, 4, 4, 0}));
}

TEST(Run, KeepsStepsInOrderOverEpochsThatBeginAgain) {
  monitor::Run run;
  for (const std::uint32_t rank : {0U, 1U}) {
    for (int epoch = 1; epoch <= 3; ++epoch) {
      for (int step = 1; step <= 4; ++step) run.feed(rank, line(epoch, step, "2.5"));
    }
  }
  ASSERT_EQ(run.merged().size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(run.merged()[i].position, i + 1);
  EXPECT_EQ(run.merged()[11].epoch, 3u);
  EXPECT_EQ(run.merged()[11].step, 4u);
}

TEST(Run, LearnsTheLengthOfAnEpochFromItsTimes) {
  monitor::Run run;
  run.feed(0, line(1, 300, "2"));
  run.feed(0, "Train epoch time: 3851.640 ms, per step time: 12.345 ms\n");
  run.feed(0, line(2, 100, "2"));
  EXPECT_EQ(run.position(), 412u);
  EXPECT_EQ(run.steps_per_epoch(), 312u);
}

TEST(Run, CountsLinesWhereNoStepIsPrinted) {
  monitor::Run run;
  for (const char* loss : {"loss=3\n", "loss=2\n", "loss=1\n"}) run.feed(0, loss);
  ASSERT_EQ(run.merged().size(), 3u);
  EXPECT_EQ(run.merged()[2].position, 3u);
  EXPECT_EQ(run.merged()[2].median, 1);
}

TEST(Run, TakesAStepThatFallsForANewEpochWhereNoneIsPrinted) {
  monitor::Run run;
  for (const char* text : {"step 1 loss: 3\n", "step 2 loss: 2\n", "step 1 loss: 1\n"}) run.feed(0, text);
  EXPECT_EQ(run.position(), 3u);
  EXPECT_EQ(run.ranks().at(0).last->epoch, 2u);
}

TEST(Run, NamesTheFirstValueThatIsNoNumberAndGoesOn) {
  monitor::Run run;
  run.feed(0, line(1, 1, "2") + line(1, 2, "nan") + line(1, 3, "inf") + line(1, 4, "1"));
  run.feed(1, line(1, 1, "4") + line(1, 2, "3") + line(1, 3, "nan"));
  const RunRank& rank = run.ranks().at(0);
  EXPECT_EQ(rank.first_not_finite->step, 2u);
  EXPECT_EQ(rank.best->loss, 1);
  EXPECT_EQ(run.merged()[1].median, 3);
  EXPECT_EQ(run.merged()[1].not_finite, 1u);
  EXPECT_EQ(run.merged()[2].ranks, 0u);
  EXPECT_EQ(run.merged()[2].not_finite, 2u);
}

TEST(Run, LeavesOutRanksThatHaveNotPrinted) {
  monitor::Run run;
  run.expect(4);
  run.feed(2, line(1, 1, "2"));
  EXPECT_EQ(run.ranks().size(), 4u);
  EXPECT_EQ(run.merged()[0].ranks, 1u);
  EXPECT_FALSE(run.ranks().at(0).last);
}

TEST(Run, WaitsForTheEndOfALine) {
  monitor::Run run;
  run.feed(0, "epoch: 1 step: 1, loss is 2.");
  EXPECT_FALSE(run.has_loss());
  run.feed(0, "5\nepoch: 1 step: 2, loss is 3.5");
  EXPECT_EQ(run.ranks().at(0).last->loss, 2.5);
  run.finish(0);
  EXPECT_EQ(run.ranks().at(0).last->loss, 3.5);
}

TEST(Run, ReplacesWhatARestartedRunPrintsAgain) {
  monitor::Run run;
  for (int step = 1; step <= 5; ++step) run.feed(0, line(1, step, step == 4 ? "nan" : "0.5"));
  run.feed(0, line(1, 3, "9"));
  EXPECT_EQ(run.merged().size(), 3u);
  EXPECT_EQ(run.merged().back().median, 9);
  EXPECT_FALSE(run.ranks().at(0).first_not_finite);
  EXPECT_EQ(run.ranks().at(0).best->position, 1u);
}

TEST(Run, JoinsStepsWhenTheBudgetIsSpentAndKeepsTheExtremes) {
  monitor::Run run(512);
  double sum = 0;
  for (int step = 1; step <= 1000; ++step) {
    const double loss = step == 500 ? 100 : 1 + step % 2;
    sum += loss;
    run.feed(0, line(1, step, std::to_string(loss)));
    run.feed(1, line(1, step, "5"));
  }
  EXPECT_EQ(run.stride(), 4u);
  EXPECT_LE(run.ranks().at(0).series.points().size(), 256u);
  std::uint64_t values = 0;
  double joined_sum = 0;
  double highest = 0;
  for (const Point& point : run.ranks().at(0).series.points()) {
    values += point.finite;
    joined_sum += point.mean * point.finite;
    highest = std::max(highest, point.max);
  }
  EXPECT_EQ(values, 1000u);
  EXPECT_NEAR(joined_sum, sum, 1e-9 * sum);
  EXPECT_EQ(highest, 100);
  for (const MergedPoint& point : run.merged()) EXPECT_EQ(point.ranks, 2u);
  EXPECT_EQ(run.ranks().at(0).first->step, 1u);
}

TEST(Run, KeepsMergedPointsRightHoweverOftenTheyAreAskedFor) {
  monitor::Run often;
  monitor::Run once;
  for (int step = 1; step <= 50; ++step) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const std::string text = line(1, step, std::to_string((step * 7 + static_cast<int>(rank) * 13) % 10));
      often.feed(rank, text);
      often.merged();
      once.feed(rank, text);
    }
  }
  EXPECT_EQ(often.merged(), once.merged());
}

TEST(Run, CallsNoStepTheBestThatFewRanksHaveComeTo) {
  monitor::Run run;
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U}) run.feed(rank, line(1, 1, "2"));
  run.feed(0, line(1, 2, "1"));
  run.feed(1, line(1, 2, "1"));
  EXPECT_EQ(best_point(run)->step, 1u);
  run.feed(2, line(1, 2, "1"));
  EXPECT_EQ(best_point(run)->step, 2u);
}

TEST(Run, KeepsTheLastOfEachMetric) {
  monitor::Run run;
  run.feed(0, "throughput: 10 images/s\naccuracy: 0.5\nthroughput: 20 images/s\n");
  EXPECT_EQ(run.ranks().at(0).metrics.images_per_s, 20);
  EXPECT_EQ(run.ranks().at(0).metrics.accuracy, 0.5);
}

TEST(Run, KnowsItsLengthWhereEpochsAreExpectedOrPrinted) {
  monitor::Run run;
  run.feed(0, "epoch: 1 step: 5, loss is 1\n");
  EXPECT_EQ(run.length(), std::nullopt);
  run.expect_epochs(3);
  EXPECT_EQ(run.length(), std::nullopt);
  run.feed(0, "Train epoch time: 100.000 ms, per step time: 10.000 ms\n");
  EXPECT_EQ(run.length(), 30U);
  run.feed(0, "epoch: [1/90] step: [6/312], loss is 1\n");
  EXPECT_EQ(run.length(), 90U * 312);
}

}  // namespace
}  // namespace adarun::monitor
