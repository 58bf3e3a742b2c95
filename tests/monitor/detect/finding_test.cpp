// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

TEST(Findings, AreNoneWhereAllRanksPrintTheLossOfTheJob) {
  monitor::Run run;
  play(run, [](std::uint32_t, int step, double) { return line(step, 0.2 + 2.2 * std::exp(-step / 60.0)); });
  EXPECT_EQ(findings(run).size(), 0U) << text_of(findings(run));
}

TEST(Findings, NameTheRankThatWentNanFirst) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    return step >= (rank == 3 ? 120 : 124) ? line(step, std::nan("")) : line(step, loss);
  });
  EXPECT_EQ(found.fault, Fault::not_finite);
  EXPECT_EQ(found.rank, 3U);
  EXPECT_EQ(found.step, 120U);
  EXPECT_EQ(found.evidence, "the first of 8 ranks whose loss is nan or inf");
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

TEST(Findings, NameARankThatNoLongerSteps) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    return rank == 5 && step > 200 ? "" : line(step, loss);
  });
  EXPECT_EQ(found.fault, Fault::stopped);
  EXPECT_EQ(found.rank, 5U);
  EXPECT_EQ(found.step, 200U);
  EXPECT_EQ(found.evidence, "its last step; others are at epoch 1 step 300");
}

// Even if the steps take very little time.
TEST(Findings, NameARankThatNoLongerStepsInAFastRun) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    if (rank == 5 && step > 200) return std::string();
    return line(step, loss) + "Train epoch time: 600.0 ms, per step time: 2.0 ms\n";
  });
  EXPECT_EQ(found.fault, Fault::stopped);
  EXPECT_EQ(found.rank, 5U);
}

TEST(Findings, NameAStragglerByItsStepTime) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    const std::string time = rank == 6 ? "31.5" : "12.5";
    return line(step, loss) +
           (step == steps ? "Train epoch time: 3750.0 ms, per step time: " + time + " ms\n" : std::string());
  });
  EXPECT_EQ(found.fault, Fault::straggler);
  EXPECT_EQ(found.rank, 6U);
}

TEST(Findings, NameARankWhoseLossStaysAway) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    return line(step, rank == 2 ? loss + step / 150.0 : loss);
  });
  EXPECT_EQ(found.fault, Fault::divergence);
  EXPECT_EQ(found.rank, 2U);
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

TEST(Findings, SeeTheLossOfAllRanksLeap) {
  const RunFinding found = only_finding([](std::uint32_t, int step, double loss) {
    return line(step, step >= 150 && step < 153 ? 6 * loss : loss);
  });
  EXPECT_EQ(found.fault, Fault::spike);
  EXPECT_FALSE(found.rank);
  EXPECT_NEAR(static_cast<double>(found.step), 151, 1);
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

TEST(Findings, NameTheRankWhoseLossLeaps) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double loss) {
    return line(step, rank == 1 && step == 150 ? 6 * loss : loss);
  });
  EXPECT_EQ(found.fault, Fault::spike);
  EXPECT_EQ(found.rank, 1U);
  EXPECT_EQ(found.step, 150U);
}

TEST(Findings, SeeALossThatRisesWhereItsWarmUpEnds) {
  const RunFinding found = only_finding([](std::uint32_t, int step, double loss) {
    return line(step, step < 100 ? loss : loss * (1 + (step - 100) / 25.0));
  });
  EXPECT_EQ(found.fault, Fault::rise);
  EXPECT_FALSE(found.rank);
  EXPECT_NEAR(static_cast<double>(found.step), 100, 30);
}

TEST(Findings, SeeALossThatNoLongerFalls) {
  const RunFinding found = only_finding([](std::uint32_t rank, int step, double) {
    return line(step,
                1.8 + 0.6 * std::exp(-step / 10.0) + 0.002 * ((step * 7 + static_cast<int>(rank) * 3) % 10));
  });
  EXPECT_EQ(found.fault, Fault::plateau);
  EXPECT_FALSE(found.rank);
}

TEST(Findings, SeeNanFromTheFirstStepOn) {
  const RunFinding found = only_finding(
      [](std::uint32_t rank, int step, double loss) { return line(step, rank == 0 ? std::nan("") : loss); });
  EXPECT_EQ(found.fault, Fault::not_finite);
  EXPECT_EQ(found.rank, 0U);
  EXPECT_EQ(found.step, 1U);
}

}  // namespace
}  // namespace adarun::monitor
