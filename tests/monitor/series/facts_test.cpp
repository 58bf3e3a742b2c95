// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/facts.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

using Ranks = std::vector<std::uint32_t>;

std::string line(int step) {
  return "epoch: 1 step: " + std::to_string(step * 10) + ", loss is 0.5\n";
}

// Rank 0 prints `steps` steps, rank 1 `fewer` fewer, at `interval_ms`; 0: the times are not known.
Run run_of(int steps, int fewer, int interval_ms) {
  Run run;
  for (int step = 1; step <= steps; ++step)
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      if (rank == 0 || step <= steps - fewer)
        run.feed(rank, line(step), interval_ms == 0 ? 0 : 1'000'000 + step * interval_ms);
  return run;
}

TEST(Behind, IsNobodyForTwoPrintedStepsOfDifference) {
  for (const int fewer : {0, 1, 2})
    for (const int interval_ms : {0, 60'000})
      EXPECT_EQ(ranks_behind(run_of(40, fewer, interval_ms)), Ranks{}) << fewer << " of " << interval_ms;
}

TEST(Behind, IsARankMoreThanTwoPrintedStepsBack) {
  EXPECT_EQ(ranks_behind(run_of(40, 3, 0)), Ranks{1});
  EXPECT_EQ(ranks_behind(run_of(40, 3, 1000)), Ranks{1});
}

TEST(Behind, IsNobodyWhereStepsArriveSoFastThatTheyTakeNoSecond) {
  EXPECT_EQ(ranks_behind(run_of(40, 20, 50)), Ranks{});
  EXPECT_EQ(ranks_behind(run_of(40, 20, 60)), Ranks{1});
}

TEST(Behind, GoesByPrintedTimesWhereNobodySawLinesArrive) {
  for (const auto& [step_ms, wanted] : {std::pair("10.0", Ranks{}), std::pair("40.0", Ranks{1})}) {
    monitor::Run run = run_of(40, 3, 0);  // 30 steps between
    run.feed(0, "Train epoch time: 4000.0 ms, per step time: " + std::string(step_ms) + " ms\n");
    EXPECT_EQ(ranks_behind(run), wanted) << step_ms;
  }
}

TEST(Behind, IsNoRankThatHasEndedWhileOthersGoOn) {
  for (const ProcessState state : {ProcessState::failed, ProcessState::lost, ProcessState::stopped}) {
    monitor::Run run = run_of(40, 3, 1000);
    run.set_state(1, state);
    EXPECT_EQ(ranks_behind(run), Ranks{});
    run.set_state(0, ProcessState::stopped);
    EXPECT_EQ(ranks_behind(run), Ranks{1}) << "the job has ended with its first rank";
  }
}

TEST(Behind, TakesAsManyStepsAsAreAskedFor) {
  EXPECT_EQ(ranks_behind(run_of(40, 20, 1000), 20), Ranks{});
  EXPECT_EQ(ranks_behind(run_of(40, 21, 1000), 20), Ranks{1});
}

struct Silence {
  const char* what;
  int steps_of_1;   ///< Of 300 that rank 0 prints.
  int interval_ms;  ///< Of rank 0; 0: times are not known.
  int own_ms;       ///< Of rank 1.
  ProcessState state = ProcessState::unknown;
  int written_s = 0;  ///< How long before that of rank 0 its log was last written; 0: not known.
  bool silent = true;
};

TEST(Silent, IsARankThatPrintsNothingForLongerThanItsStepsTake) {
  using State = ProcessState;
  const Silence cases[] = {
      {"six seconds", 240, 100, 100},
      {"four seconds", 260, 100, 100, State::unknown, 0, false},
      {"a slow rank", 30, 100, 1000, State::unknown, 0, false},
      {"a slow rank that hangs", 10, 100, 1000},
      {"nothing is known", 200, 0, 0},
      {"it is done", 200, 0, 0, State::done, 0, false},
      {"it runs, and nothing more is known", 200, 0, 0, State::running},
      {"it runs and writes", 200, 0, 0, State::running, 1, false},
      {"it runs and does not write", 200, 0, 0, State::running, 60},
      {"it failed", 200, 0, 0, State::failed, 1},
  };
  for (const Silence& each : cases) {
    monitor::Run run;
    for (int step = 1; step <= 300; ++step)
      run.feed(0, line(step), each.interval_ms == 0 ? 0 : 1'000'000 + step * each.interval_ms);
    for (int step = 1; step <= each.steps_of_1; ++step)
      run.feed(1, line(step), each.interval_ms == 0 ? 0 : 1'000'000 + step * each.own_ms);
    run.set_state(1, each.state);
    if (each.written_s != 0) run.set_written(0, 2'000'000);
    if (each.written_s != 0) run.set_written(1, 2'000'000 - each.written_s * 1000);
    EXPECT_EQ(is_silent(run, run.ranks().at(1)), each.silent) << each.what;
  }
}

TEST(Silent, IsARankThatWasSilentSinceOthersWereSeen) {
  monitor::Run run;
  for (int step = 1; step <= 100; ++step)
    for (std::uint32_t rank = 0; rank < 2; ++rank) run.feed(rank, line(step));
  for (int step = 101; step <= 200; ++step) {
    run.feed(0, line(step), 1'000'000 + step * 100);
    EXPECT_EQ(is_silent(run, run.ranks().at(1)), step > 151) << step;
  }
}

TEST(Silent, IsNotToldByTimesThatGoBack) {
  monitor::Run run;
  for (int step = 1; step <= 200; ++step) {
    run.feed(0, line(step), 1'000'000 + step % 10 * 1000);
    if (step <= 100) run.feed(1, line(step), 1'000'000 + step % 10 * 1000);
  }
  EXPECT_TRUE(is_silent(run, run.ranks().at(1)));
}

}  // namespace
}  // namespace adarun::monitor
