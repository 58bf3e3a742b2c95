// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "monitor/series/facts.h"
#include "monitor/view/summary.h"

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

TEST(Run, KeepsEachStepOfTheOneRankOfManyThatPrints) {
  monitor::Run run;
  run.expect(4096);
  for (int step = 1; step <= 10'000; ++step) run.feed(0, line(1, step, "2"));
  EXPECT_EQ(run.stride(), 1U);
  EXPECT_EQ(run.merged().size(), 10'000U);
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

TEST(Run, NamesTheRanksThatItLeavesOut) {
  monitor::Run run;
  run.feed(0, "epoch: 1 step: 1, loss is 3\nval_loss: 3\n");
  run.feed(1, "epoch: 1 step: 1, loss is 0\nval_loss: 0\n");
  EXPECT_TRUE(summary_of(run).left_out.empty());
  EXPECT_EQ(run.merged_validation()[0].ranks, 2U);
  run.feed(0, line(1, 2, "2"));
  run.feed(1, line(1, 2, "0"));
  EXPECT_EQ(summary_of(run).left_out, std::vector<std::uint32_t>{1});
  EXPECT_EQ(run.merged_validation()[0].ranks, 1U);
  const auto node_of = [](std::uint32_t) { return std::string(); };
  EXPECT_NE(summary_json(summary_of(run), node_of).find("\"left_out\": [\n    1\n  ]"), std::string::npos);
  const std::string last = summary_lines(summary_of(run), node_of).back();
  EXPECT_TRUE(last.starts_with("left out    rank 1: only 0 or -1 as loss")) << last;
  run.feed(1, line(1, 3, "1"));
  EXPECT_TRUE(summary_of(run).left_out.empty());
  EXPECT_EQ(run.merged_validation()[0].ranks, 2U);
}

TEST(Run, MakesNoRankOfOneThatAMessageNames) {
  monitor::Run run;
  for (const char* step : {"1", "2", "3"})
    for (const char* rank : {"0", "1"})
      run.feed(0, std::string("a job: rank ") + rank + " step " + step + " loss 2\n");
  run.feed(0, "a job: rank 500 is late\n");
  EXPECT_EQ(run.ranks().size(), 2U);
  run.feed(0, "a job: rank 2 step 1 loss 3\n");
  EXPECT_EQ(run.ranks().at(2).first->loss, 3);
}

TEST(Run, TakesALogWithoutANumberForNoRankAboveIt) {
  monitor::Run run;
  run.feed(0, "==> a/worker_0.log <==\n" + line(1, 1, "2") + "\n==> a/error.log <==\nwarning\n" +
                  "==> a/worker_1.log <==\n" + line(1, 1, "3") + "\n==> a/train.log <==\n" + line(1, 9, "5"));
  EXPECT_EQ(run.ranks().size(), 3U);
  EXPECT_EQ(run.ranks().at(1).last->loss, 3);
  EXPECT_EQ(run.ranks().at(2).last->loss, 5);
}

TEST(Run, TakesTheNumberThatALaterLineOfAProcessTells) {
  monitor::Run run;
  run.feed(0, "(Worker pid=7) loss: 4\n(Worker pid=8) loss: 5\n(Worker pid=9) loss: 6\n");
  EXPECT_EQ(run.ranks().at(1).last->loss, 5);
  run.feed(0,
           "(Worker pid=7) [rank 1] loss: 3\n(Worker pid=8) [rank 2] loss: 2\n"
           "(Worker pid=9) [rank 0] loss: 1\n(Worker pid=7) loss: 0.5\n");
  ASSERT_EQ(run.ranks().size(), 3U);
  EXPECT_EQ(run.ranks().at(1).last->loss, 0.5);
  EXPECT_EQ(run.ranks().at(2).first->loss, 5);
  EXPECT_EQ(run.ranks().at(0).first->loss, 6);
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

TEST(Run, KnowsItsLengthWhereLinesTellTheStepsOfAllEpochs) {
  monitor::Run run;
  for (int step = 5; step <= 20; step += 5)
    run.feed(0, "{'loss': 2, 'epoch': " + std::to_string(step / 10.0) + ", 'global_step/max_steps': '" +
                    std::to_string(step) + "/40'}\n");
  EXPECT_EQ(run.position(), 20U);
  EXPECT_EQ(run.length(), 40U);
  EXPECT_EQ(run.ranks().at(0).last->epoch, 2U);
}

TEST(Run, TakesAMeanThatIsNoNumberForThatOfTheStepBefore) {
  monitor::Run run;
  run.feed(0, line(1, 1, "2") + line(1, 2, "3") + "epoch 1: loss 2.5\nepoch 1: loss nan\n" + line(2, 1, "1"));
  ASSERT_EQ(run.merged().size(), 3U);
  EXPECT_EQ(run.ranks().at(0).first_not_finite->step, 2U);
}

TEST(Run, TakesAStepPrintedTwiceForOneUnlessItMayBeAnEpochsLast) {
  monitor::Run run;
  run.feed(0, "step 10: train loss 4, val loss 5\niter 10: loss 3\niter 20: loss 2\n");
  ASSERT_EQ(run.merged().size(), 2u);
  EXPECT_EQ(run.merged()[0].median, 3);
  EXPECT_EQ(run.merged()[1].epoch, 1u);
  monitor::Run epochs;
  epochs.feed(0, "12/12 - 1s - loss: 2\n12/12 - 1s - loss: 1\n");
  ASSERT_EQ(epochs.merged().size(), 2u);
  EXPECT_EQ(epochs.merged()[1].position, 24u);
  monitor::Run bar;  // As tqdm prints its last state: once more when it is closed.
  for (const char* epoch : {"2", "1"})
    bar.feed(0, "50%|#| 6/12 [00:31<00:00, 9.9it/s, loss=3]\r" +
                    ("100%|##| 12/12 [01:02<00:00, 9.9it/s, loss=" + std::string(epoch) + "]\r") +
                    "100%|##| 12/12 [01:02<00:00, 9.9it/s, loss=" + epoch + "]\n");
  ASSERT_EQ(bar.merged().size(), 4u);
  EXPECT_EQ(bar.merged().back().epoch, 2u);
  EXPECT_EQ(bar.merged().back().position, 24u);
}

TEST(Run, KeepsLossesOfValidationsAsACurveOfTheirOwn) {
  monitor::Run run;
  for (const std::uint32_t rank : {0U, 1U}) {
    run.feed(rank, line(1, 10, "2") + "val_loss: " + (rank == 0 ? "3" : "5") + "\n");
    run.feed(rank, line(1, 20, "1") + "epoch: 1 step: 25, val_loss: 2\n");
  }
  ASSERT_EQ(run.merged().size(), 2u);
  EXPECT_EQ(run.merged()[1].median, 1);
  ASSERT_EQ(run.merged_validation().size(), 2u);
  EXPECT_EQ(run.merged_validation()[0], (MergedPoint{10, 1, 10, 3, 4, 5, 2, 0}));
  EXPECT_EQ(run.merged_validation()[1], (MergedPoint{25, 1, 25, 2, 2, 2, 2, 0}));
  EXPECT_EQ(best_validation(run)->position, 25u);
}

TEST(Run, TakesAValidationThatABarRepeatsOnce) {
  monitor::Run run;
  for (int step = 1; step <= 9; ++step)
    run.feed(0, "step: " + std::to_string(step) + " loss=2 val_loss=" + (step < 5 ? "3" : "nan") + "\n");
  ASSERT_EQ(run.merged_validation().size(), 2u);
  EXPECT_EQ(run.merged_validation()[0].position, 1u);
  EXPECT_EQ(run.merged_validation()[1].position, 5u);
  EXPECT_EQ(run.merged_validation()[1].not_finite, 1u);
}

TEST(Run, CountsValidationsWhereThereIsNoTraining) {
  monitor::Run run;
  run.feed(0, "val_loss: 3\nval_loss: 2\nepoch 3 val_loss: 1\n");
  EXPECT_FALSE(run.has_loss());
  ASSERT_EQ(run.merged_validation().size(), 3u);
  EXPECT_EQ(run.merged_validation()[2].position, 3u);
  EXPECT_EQ(run.merged_validation()[2].epoch, 3u);
}

TEST(Run, BoundsValidationsAsItBoundsLosses) {
  monitor::Run run(1000);
  for (int step = 1; step <= 4000; ++step)
    run.feed(0, "step: " + std::to_string(step) + " loss=2 val_loss=" + std::to_string(step) + "\n");
  EXPECT_GE(run.stride(), 8u);
  EXPECT_LE(run.merged().size() + run.merged_validation().size(), 1001u);
  EXPECT_EQ(run.merged_validation().back().max, 4000);
}

// Steps `from` to `to` of an epoch, with this loss.
std::string lines(int epoch, int from, int to, const std::string& loss) {
  std::string text;
  for (int step = from; step <= to; ++step) text += line(epoch, step, loss);
  return text;
}

void feed_ranks(monitor::Run& run, std::uint32_t ranks, const std::string& text) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) run.feed(rank, text);
}

TEST(RunAttempts, AreOneCurveWhoseStepsTheLaterOneReplaces) {
  monitor::Run run;
  feed_ranks(run, 4, lines(1, 1, 10, "4"));
  run.next_attempt(2, "node2 is lost");
  EXPECT_EQ(run.merged().size(), 10U) << "until the next one prints a loss";
  EXPECT_EQ(run.position(), 10U);
  feed_ranks(run, 2, lines(1, 7, 12, "2"));
  const std::vector<MergedPoint>& merged = run.merged();
  ASSERT_EQ(merged.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(merged[i].position, i + 1);
    EXPECT_EQ(merged[i].median, i < 6 ? 4 : 2) << i;
    EXPECT_EQ(merged[i].ranks, i < 6 ? 4U : 2U) << i;
  }
  EXPECT_EQ(run.ranks().size(), 2U);
  EXPECT_EQ(run.ranks_with_loss(6), 4U);
  EXPECT_EQ(run.ranks_with_loss(7), 2U);
  ASSERT_EQ(run.attempts().size(), 2U);
  EXPECT_EQ(run.attempts()[1].begin->step, 7U);
  EXPECT_TRUE(run.attempts()[1].has_mark());
}

TEST(RunAttempts, ThatBeginAtTheFirstStepReplaceAll) {
  monitor::Run run;
  feed_ranks(run, 2, lines(1, 1, 9, "4") + lines(2, 1, 5, "3"));
  run.next_attempt(2, "restart");
  feed_ranks(run, 2, lines(1, 1, 2, "5"));
  ASSERT_EQ(run.merged().size(), 2U);
  EXPECT_EQ(run.merged()[1].median, 5);
  EXPECT_TRUE(run.past_ranks().empty());
}

TEST(RunAttempts, CountFromTheStepThatTheyPrintWhereNoEpochIs) {
  monitor::Run run;
  run.feed(0, "step 1 loss: 5\nstep 2 loss: 4\nstep 3 loss: 3\n");
  run.next_attempt(2, "restart");
  run.feed(0, "step 2 loss: 1\n");
  EXPECT_EQ(run.position(), 2U) << "no second epoch";
  EXPECT_EQ(run.merged().size(), 2U);
}

TEST(RunAttempts, MayHaveEpochsOfAnotherLength) {
  monitor::Run run;
  const auto time = [](int steps) {
    return "Train epoch time: " + std::to_string(steps) + "00.0 ms, per step time: 100.0 ms\n";
  };
  feed_ranks(run, 4, lines(1, 1, 10, "4") + time(10) + lines(2, 1, 8, "3"));
  run.next_attempt(2, "node2 is lost");
  feed_ranks(run, 2, lines(2, 5, 16, "2") + time(12) + lines(3, 1, 20, "1") + time(20) + lines(4, 1, 2, "1"));
  const std::vector<MergedPoint>& merged = run.merged();
  ASSERT_EQ(merged.size(), 10U + 16U + 20U + 2U);
  for (std::size_t i = 0; i < merged.size(); ++i) EXPECT_EQ(merged[i].position, i + 1);
  EXPECT_EQ(merged[14].median, 2) << "epoch 2 step 5";
}

TEST(RunAttempts, AreMarkedOnlyWhereTheirStepsAreStillShown) {
  monitor::Run run;
  feed_ranks(run, 2, lines(1, 1, 10, "4"));
  run.next_attempt(2, "node2 is lost");
  feed_ranks(run, 2, lines(1, 6, 12, "3"));
  run.next_attempt(3, "node3 is lost");
  run.next_attempt(4, "node4 is lost");
  feed_ranks(run, 2, lines(1, 6, 7, "2"));
  EXPECT_EQ(run.merged().size(), 7U);
  EXPECT_TRUE(run.attempts()[1].replaced);
  EXPECT_FALSE(run.attempts()[2].begin.has_value());
  EXPECT_TRUE(run.attempts()[3].has_mark());
  EXPECT_FALSE(run.attempts()[0].has_mark() || run.attempts()[1].has_mark() || run.attempts()[2].has_mark());
  EXPECT_EQ(run.ranks_with_loss(3), 2U);
}

TEST(RunAttempts, HaveTextsThatATerminalCanShow) {
  monitor::Run run;
  run.next_attempt(2, "\x1b[31mnode2\nis lost" + std::string(1000, 'x'));
  EXPECT_EQ(run.attempts()[1].change.find_first_of("\x1b\n"), std::string::npos);
  EXPECT_LE(run.attempts()[1].change.size(), 200U);
}

TEST(RunAttempts, KeepTheBestOfAnEarlierOne) {
  monitor::Run run;
  feed_ranks(run, 2, lines(1, 1, 4, "1"));
  run.next_attempt(2, "node3 joins");
  feed_ranks(run, 8, lines(1, 4, 8, "2"));
  ASSERT_NE(best_point(run), nullptr);
  EXPECT_EQ(best_point(run)->median, 1) << "of all ranks that there were";
}

TEST(RunAttempts, AreAtAStepOfTheLastOne) {
  monitor::Run run;
  feed_ranks(run, 4, lines(1, 1, 6, "4"));
  run.next_attempt(2, "node2 is lost");
  EXPECT_EQ(current_point(run)->step, 6U) << "until the next one prints a loss";
  feed_ranks(run, 2, line(1, 5, "2"));
  EXPECT_EQ(current_point(run)->step, 5U) << "though more ranks have printed step 4";
}

TEST(Run, IsAtAStepOfTheRanksThatHaveNotEndedBefore) {
  monitor::Run run;
  feed_ranks(run, 4, lines(1, 1, 9, "2"));
  for (const std::uint32_t rank : {0U, 1U}) run.feed(rank, lines(1, 10, 11, "1"));
  EXPECT_EQ(current_point(run)->step, 9U) << "the others may be late";
  for (const std::uint32_t rank : {2U, 3U}) run.set_state(rank, ProcessState::failed);
  EXPECT_EQ(current_point(run)->step, 11U);
  EXPECT_EQ(ended_ranks(run), (std::vector<std::uint32_t>{2, 3}));
  for (const std::uint32_t rank : {0U, 1U}) run.set_state(rank, ProcessState::done);
  EXPECT_EQ(current_point(run)->step, 11U);
  run.feed(0, line(1, 12, "1"));
  EXPECT_EQ(current_point(run)->step, 11U) << "which all members have printed";
  for (const std::uint32_t rank : {0U, 1U}) run.set_state(rank, ProcessState::stopped);
  EXPECT_TRUE(ended_ranks(run).empty()) << "the job has ended with its first rank";
}

TEST(Run, FindsTheBestLossOfRanksThatGoOnWithoutTheOthers) {
  monitor::Run run;
  feed_ranks(run, 4, lines(1, 1, 10, "2"));
  for (const std::uint32_t rank : {0U, 1U}) run.feed(rank, lines(1, 11, 20, "1"));
  ASSERT_NE(best_point(run), nullptr);
  EXPECT_EQ(best_point(run)->step, 1U) << "the others may be late";
  for (const std::uint32_t rank : {2U, 3U}) run.set_state(rank, ProcessState::lost);
  EXPECT_EQ(best_point(run)->step, 11U);
}

TEST(RunAttempts, StayWithinTheMemoryOfOneRun) {
  monitor::Run run(2'000);
  for (std::uint64_t number = 2; number <= 20; ++number) {
    const int from = static_cast<int>(number - 2) * 400 + 1;
    feed_ranks(run, 4, lines(1, from, from + 399, "2"));
    run.next_attempt(number, "restart");
  }
  std::size_t points = 0;
  for (const PastRank& rank : run.past_ranks()) points += rank.losses.points().size();
  EXPECT_LE(points, 2'000U);
  EXPECT_EQ(run.merged().back().position, 7'600U);
  EXPECT_LE(run.stride(), 32U) << "of 4 ranks, 7,600 positions each";
  for (const MergedPoint& point : run.merged()) EXPECT_EQ(point.ranks, 4U) << point.position;
}

}  // namespace
}  // namespace adarun::monitor
