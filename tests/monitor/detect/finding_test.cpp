// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "monitor/detect/finding.h"

namespace adarun::monitor {
namespace {

constexpr std::uint32_t ranks = 8;
constexpr int steps = 300;

/// The text that a rank prints at a step; `loss` is what it would be in a run without fault.
using Planted = std::function<std::string(std::uint32_t rank, int step, double loss)>;

std::string line(int step, double loss) {
  return "epoch: 1 step: " + std::to_string(step) + ", loss is " + std::to_string(loss) + "\n";
}

std::string clean(std::uint32_t, int step, double loss) {
  return line(step, loss);
}

// Losses fall from 2.4 to 0.2, with noise of 5 %, different on each rank.
void play(Run& run, const Planted& printed, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, 0.05);
  for (int step = 1; step <= steps; ++step)
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      run.feed(rank, printed(rank, step, (0.2 + 2.2 * std::exp(-step / 60.0)) * noise(random)));
}

std::string text_of(const std::vector<RunFinding>& found) {
  std::string text;
  for (const RunFinding& each : found)
    text += std::string(name_of(each.fault)) + " rank " + (each.rank ? std::to_string(*each.rank) : "none") +
            " step " + std::to_string(each.step) + ": " + each.evidence + "\n";
  return text;
}

// The only finding of a run: exactly one fault was planted.
RunFinding only_finding(const Planted& printed) {
  monitor::Run run;
  play(run, printed);
  const std::vector<RunFinding> found = findings(run);
  EXPECT_EQ(found.size(), 1U) << text_of(found);
  return found.empty() ? RunFinding{} : found[0];
}

TEST(Findings, AreNoneForARunWithoutFault) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    monitor::Run run;
    play(run, clean, seed);
    EXPECT_EQ(findings(run).size(), 0U) << seed << ": " << text_of(findings(run));
  }
}

TEST(Findings, AreNoneForRunsTooShortToTell) {
  monitor::Run run;
  EXPECT_EQ(findings(run).size(), 0U);
  for (int step = 1; step <= 5; ++step) run.feed(0, line(step, step));
  EXPECT_EQ(findings(run).size(), 0U) << text_of(findings(run));
}

TEST(Findings, NameRanksThatReadTheSameShardWhereOneIsBehindOrHasEnded) {
  for (const int last : {steps - 1, steps - 2, steps - 10}) {
    std::string of_four;
    const RunFinding found = only_finding([&](std::uint32_t rank, int step, double loss) {
      if (rank == 4) of_four = line(step, loss);
      return rank != 7 ? line(step, loss) : step <= last ? of_four : "";
    });
    EXPECT_EQ(found.fault, Fault::same_data);
    EXPECT_EQ(found.evidence, "the same loss as rank 4 in all " + std::to_string(last) +
                                  " points: do they read the same shard?");
  }
}

TEST(Findings, LeaveOutStagesOfAPipelineThatKnowNoLoss) {
  for (const double no_loss : {0.0, -1.0}) {
    monitor::Run run;
    play(run, [&](std::uint32_t rank, int step, double loss) {
      return line(step, rank < 4 ? no_loss : rank == 6 ? loss + step / 100.0 : loss);
    });
    EXPECT_EQ(run.merged().back().ranks, 4U);
    ASSERT_EQ(findings(run).size(), 1U) << text_of(findings(run));
    EXPECT_EQ(findings(run)[0].rank, 6U);
  }
}

TEST(Findings, NameASingleRankThatPrintsZeros) {
  const RunFinding found = only_finding(
      [&](std::uint32_t rank, int step, double loss) { return line(step, rank == 2 ? 0 : loss); });
  EXPECT_EQ(found.fault, Fault::divergence);
  EXPECT_EQ(found.rank, 2U);
}

TEST(Findings, AreNoneWhereAllRanksPrintTheLossOfTheJob) {
  monitor::Run run;
  play(run, [](std::uint32_t, int step, double) { return line(step, 0.2 + 2.2 * std::exp(-step / 60.0)); });
  EXPECT_EQ(findings(run).size(), 0U) << text_of(findings(run));
}

/// A fault that is planted, and the finding that it must give.
struct PlantedFault {
  const char* what;
  Planted printed;
  Fault fault;
  std::optional<std::uint32_t> rank;
  int first_step;  ///< The finding is at this step ...
  int last_step;   ///< ... to this one.
  std::string evidence = {};
};

const PlantedFault planted_faults[] = {
    {"nan, first on one rank",
     [](std::uint32_t rank, int step, double loss) {
       return line(step, step >= (rank == 3 ? 120 : 124) ? std::nan("") : loss);
     },
     Fault::not_finite, 3, 120, 120, "the first of 8 ranks whose loss is nan or inf"},
    {"nan from the first step on",
     [](std::uint32_t rank, int step, double loss) { return line(step, rank == 0 ? std::nan("") : loss); },
     Fault::not_finite, 0, 1, 1},
    {"a rank that no longer steps",
     [](std::uint32_t rank, int step, double loss) {
       return rank == 5 && step > 200 ? "" : line(step, loss);
     },
     Fault::stopped, 5, 200, 200, "its last step; others are at epoch 1 step 300"},
    {"the same where steps take very little time",
     [](std::uint32_t rank, int step, double loss) {
       if (rank == 5 && step > 200) return std::string();
       return line(step, loss) + "Train epoch time: 600.0 ms, per step time: 2.0 ms\n";
     },
     Fault::stopped, 5, 200, 200},
    {"a straggler by its step time",
     [](std::uint32_t rank, int step, double loss) {
       const std::string time = rank == 6 ? "31.5" : "12.5";
       const std::string end = "Train epoch time: 3750.0 ms, per step time: " + time + " ms\n";
       return line(step, loss) + (step == steps ? end : "");
     },
     Fault::straggler, 6, 1, steps},
    {"a rank whose loss stays away",
     [](std::uint32_t rank, int step, double loss) {
       return line(step, rank == 2 ? loss + step / 150.0 : loss);
     },
     Fault::divergence, 2, 1, steps},
    {"the loss of all ranks leaps",
     [](std::uint32_t, int step, double loss) {
       return line(step, step >= 150 && step < 153 ? 6 * loss : loss);
     },
     Fault::spike, std::nullopt, 150, 152},
    {"the loss of one rank leaps",
     [](std::uint32_t rank, int step, double loss) {
       return line(step, rank == 1 && step == 150 ? 6 * loss : loss);
     },
     Fault::spike, 1, 150, 150},
    {"a loss that rises where its warm-up ends",
     [](std::uint32_t, int step, double loss) {
       return line(step, step < 100 ? loss : loss * (1 + (step - 100) / 25.0));
     },
     Fault::rise, std::nullopt, 70, 130},
    {"a loss that grows without bound",
     [](std::uint32_t rank, int step, double loss) {
       const int turn = (step * 7 + static_cast<int>(rank) * 3) % 10;
       return line(step, step < 100 ? loss : loss * std::exp((step - 100) / 10.0) * (1 + 0.05 * turn));
     },
     Fault::rise, std::nullopt, 70, 130},
    {"a loss that no longer falls",
     [](std::uint32_t rank, int step, double) {
       const int turn = (step * 7 + static_cast<int>(rank) * 3) % 10;
       return line(step, 1.8 + 0.6 * std::exp(-step / 10.0) + 0.002 * turn);
     },
     Fault::plateau, std::nullopt, 1, steps},
};

TEST(Findings, NameTheFaultThatWasPlanted) {
  for (const PlantedFault& planted : planted_faults) {
    SCOPED_TRACE(planted.what);
    const RunFinding found = only_finding(planted.printed);
    EXPECT_EQ(found.fault, planted.fault);
    EXPECT_EQ(found.rank, planted.rank);
    EXPECT_GE(static_cast<int>(found.step), planted.first_step);
    EXPECT_LE(static_cast<int>(found.step), planted.last_step);
    EXPECT_TRUE(planted.evidence.empty() || found.evidence == planted.evidence) << found.evidence;
  }
}

TEST(Findings, HaveTheTimeAtWhichTheirPlaceWasSeen) {
  monitor::Run run;
  for (int step = 1; step <= 100; ++step) {
    const double loss = step == 80 ? 9 : 1;
    for (std::uint32_t rank = 0; rank < 3; ++rank)
      run.feed(rank, line(step, rank == 1 && step >= 90 ? std::nan("") : loss + 0.001 * rank),
               1'700'000'000'000 + 1000 * step);
  }
  const std::vector<RunFinding> found = findings(run);
  ASSERT_EQ(found.size(), 3U) << text_of(found);
  EXPECT_EQ(found[0].fault, Fault::not_finite);
  EXPECT_EQ(found[0].time_ms, 1'700'000'090'000);
  EXPECT_EQ(found[1].fault, Fault::spike);
  EXPECT_EQ(found[1].time_ms, 1'700'000'080'000);
  EXPECT_EQ(found[2].fault, Fault::plateau);
  EXPECT_GT(found[2].time_ms, 1'700'000'000'000);
}

TEST(Findings, NameRanksThatReadTheSameShard) {
  std::string of_four;
  const RunFinding found = only_finding([&](std::uint32_t rank, int step, double loss) {
    if (rank == 4) of_four = line(step, loss);
    return rank == 7 ? of_four : line(step, loss);
  });
  EXPECT_EQ(found.fault, Fault::same_data);
  EXPECT_EQ(found.rank, 7U);
  EXPECT_NE(found.evidence.find("as rank 4 in all 300 points"), std::string::npos) << found.evidence;
}

TEST(Findings, AreNoneWhereAllRanksPrintTheLossOfTheJobForAsLongAsTheyRun) {
  std::string of_job;
  monitor::Run run;
  play(run, [&of_job](std::uint32_t rank, int step, double loss) {
    if (rank == 0) of_job = line(step, loss);
    const bool is_silent = rank == 2;
    const bool has_ended = rank == 5 && step > 200;
    const bool is_a_line_behind = rank == 3 && step == steps;
    return is_silent || has_ended || is_a_line_behind ? "" : of_job;
  });
  run.set_state(5, ProcessState::failed);
  const std::vector<RunFinding> found = findings(run);
  EXPECT_TRUE(std::none_of(found.begin(), found.end(), [](const RunFinding& each) {
    return each.fault == Fault::same_data;
  })) << text_of(found);
}

// As of a model that has learnt all of its data by heart, printed with four digits.
TEST(Findings, AreNoneWhereALossIsPrintedAsZero) {
  monitor::Run run;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  for (int step = 1; step <= steps; ++step)
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      const double learnt = (static_cast<std::uint32_t>(step) / 30 + rank) % 2 == 1 ? 0.0001 : 0;
      run.feed(rank, line(step, step <= 100 ? 2.3 * std::exp(-step / 10.0) * noise(random) : learnt));
    }
  EXPECT_EQ(findings(run).size(), 0U) << text_of(findings(run));
}

TEST(Findings, TakeALossThatIsNotFiniteForNoLoss) {
  struct Stretch {
    int first;
    int last;
  };
  for (const Stretch& without : {Stretch{1, 20}, Stretch{101, 150}, Stretch{201, steps}}) {
    const RunFinding found = only_finding([&without](std::uint32_t, int step, double loss) {
      return line(step, step >= without.first && step <= without.last ? HUGE_VAL : loss);
    });
    EXPECT_EQ(found.fault, Fault::not_finite);
    EXPECT_EQ(found.step, static_cast<std::uint64_t>(without.first));
  }
}

TEST(Findings, KeepTheBeginOfASpikeThatRises) {
  monitor::Run run;
  for (int step = 1; step <= 100; ++step) {
    run.feed(0, line(step, step < 80 ? 1 + 0.01 * (step % 3) : step % 2 == 0 ? step : 5));
    if (step <= 80 || step % 2 == 0) continue;
    std::vector<RunFinding> found = findings(run);
    std::erase_if(found, [](const RunFinding& each) { return each.fault != Fault::spike; });
    ASSERT_EQ(found.size(), 1U) << step;
    EXPECT_EQ(found[0].begin, 80U);
    EXPECT_EQ(found[0].step, static_cast<std::uint64_t>(step - 1));
  }
}

}  // namespace
}  // namespace adarun::monitor
