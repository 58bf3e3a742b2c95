// SPDX-License-Identifier: Apache-2.0
//
// Healthy runs of many kinds and sizes have no finding, and faults planted into some of them are still found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "monitor/detect/finding.h"

namespace adarun::monitor {
namespace {

/// Draws the random numbers of one run.
class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}

  double normal(double mean, double deviation) {
    return std::normal_distribution<double>(mean, deviation)(random_);
  }
  double around_one(double deviation) { return std::max(0.01, normal(1, deviation)); }
  /// Its logarithm has this deviation.
  double heavy(double deviation) { return std::exp(normal(0, deviation)); }

 private:
  std::mt19937 random_;
};

struct Healthy {
  const char* what;
  std::uint32_t ranks;
  int steps;
  std::function<double(std::uint32_t rank, int step, Chance& chance)> loss;
  int decimals = 6;
  int steps_of_epoch = 0;  ///< 0: one epoch.
};

double falling(int step, double from, double to, double steps) {
  return to + (from - to) * std::exp(-step / steps);
}

const Healthy healthy_runs[] = {
    {"little noise", 8, 300,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.2, 60) * c.around_one(0.01); }},
    {"much noise", 4, 300,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.2, 60) * c.around_one(0.3); }},
    {"single batches, spread unevenly", 4, 500,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.1, 60) * c.heavy(0.5); }},
    {"single batches of one rank, spread very unevenly", 1, 1000,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.05, 100) * c.heavy(1); }},
    {"a language model", 8, 1000,
     [](auto, int s, Chance& c) { return (2 + 9 * std::pow(s, -0.5)) * c.around_one(0.02); }},
    {"a language model of one sequence a step", 1, 2000,
     [](auto, int s, Chance& c) { return (2 + 9 * std::pow(s, -0.4)) * c.around_one(0.2); }},
    {"a straight line", 2, 200, [](auto, int s, Chance& c) { return (5 - 0.02 * s) * c.around_one(0.05); }},
    {"a warm-up of little progress", 4, 600,
     [](auto, int s, Chance& c) {
       return (s < 150 ? 10.8 - 0.02 * s : falling(s - 150, 7.8, 3, 100)) * c.around_one(0.01);
     }},
    {"a warm-up that overshoots", 4, 400,
     [](auto, int s, Chance& c) {
       return (s < 18 ? 2.3 + 0.05 * s : falling(s - 18, 3.2, 0.4, 60)) * c.around_one(0.05);
     }},
    {"a learning rate that falls in steps", 8, 900,
     [](auto, int s, Chance& c) {
       const double level = s < 300   ? falling(s, 2.3, 1.2, 40)
                            : s < 600 ? falling(s - 300, 1.1, 0.6, 10)
                                      : 0.45;
       return level * c.around_one(0.08);
     }},
    {"final losses of 0.004", 16, 600,
     [](auto, int s, Chance& c) { return falling(s, 2.3, 0.004, 30) * c.heavy(0.7); }},
    {"final losses of 0.004, printed with four digits", 16, 600,
     [](auto, int s, Chance& c) { return falling(s, 2.3, 0.004, 30) * c.heavy(0.7); }, 4},
    {"final losses of 0.0001, printed with four digits", 4, 600,
     [](auto, int s, Chance& c) { return falling(s, 2.3, 0.0001, 25) * c.heavy(0.5); }, 4},
    {"losses printed with one digit", 4, 300,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.2, 60) * c.around_one(0.1); }, 1},
    {"epochs that learn by heart", 2, 600,
     [](auto, int s, Chance& c) { return 2.0 * std::pow(0.5, (s - 1) / 100) * c.around_one(0.08); }, 6, 100},
    {"epochs whose first batches are harder", 4, 600,
     [](auto, int s, Chance& c) {
       return falling(s, 2.3, 0.3, 150) * (s % 100 < 5 ? 1.25 : 1) * c.around_one(0.1);
     },
     6, 100},
    {"zeros before the first losses", 4, 400,
     [](auto, int s, Chance& c) { return s <= 40 ? 0 : falling(s - 40, 2.3, 0.3, 60) * c.around_one(0.05); }},
    {"a loss that is added later", 2, 400,
     [](auto, int s, Chance& c) {
       return s <= 30 ? 0 : 0.5 * (1 - std::exp((30 - s) / 40.0)) * c.around_one(0.1);
     }},
    {"a pipeline of four stages, of which the last knows the loss", 8, 300,
     [](auto r, int s, Chance& c) { return r < 6 ? -1 : falling(s, 2.4, 0.2, 60) * c.around_one(0.05); }},
    {"a pipeline whose first stage prints zeros", 8, 300,
     [](auto r, int s, Chance& c) { return r < 4 ? 0 : falling(s, 2.4, 0.2, 60) * c.around_one(0.05); }},
    {"GRPO, which begins at 0.0000", 1, 200,
     [](auto, int s, Chance& c) { return s < 30 ? 0 : c.normal(0.0002, 0.002) * std::min(1.0, s / 100.0); },
     4},
    {"GRPO whose divergence grows", 4, 400, [](auto, int s, Chance& c) { return 0.00002 * s * c.heavy(0.6); },
     4},
    {"GRPO with all digits", 4, 400,
     [](auto, int s, Chance& c) { return 1e-8 + 1e-5 * s * c.normal(0.3, 1); }, 9},
    {"a policy's loss around zero", 8, 400, [](auto, int, Chance& c) { return c.normal(0.003, 0.05); }},
    {"a loss below zero", 4, 400,
     [](auto, int s, Chance& c) { return falling(s, 0, -15, 100) + c.normal(0, 0.8); }},
    {"a loss far below zero", 4, 400,
     [](auto, int s, Chance& c) { return falling(s, -300, -900, 100) * c.around_one(0.02); }},
    {"a loss that passes zero", 2, 400,
     [](auto, int s, Chance& c) { return 3 - 0.02 * s + c.normal(0, 0.2); }},
    {"three steps", 4, 3, [](auto, int s, Chance& c) { return (3 - s) * c.around_one(0.1); }},
    {"25 steps", 4, 25, [](auto, int s, Chance& c) { return falling(s, 2.4, 0.2, 10) * c.around_one(0.2); }},
    {"65 steps", 1, 65, [](auto, int s, Chance& c) { return falling(s, 2.4, 1.2, 10) * c.around_one(0.2); }},
    {"512 ranks", 512, 80,
     [](auto, int s, Chance& c) { return falling(s, 2.4, 0.2, 20) * c.around_one(0.15); }},
    {"ranks with unlike data", 3, 300,
     [](std::uint32_t r, int s, Chance& c) {
       return falling(s, 2.4, 0.5 + 0.05 * r, 60) * c.around_one(0.2);
     }},
    {"a fine-tuning that gains little", 1, 400,
     [](auto, int s, Chance& c) { return falling(s, 1.3, 1.02, 20) * c.around_one(0.12); }},
    {"a fine-tuning of many steps that gains little, printed as means of ten", 1, 3000,
     [](auto, int s, Chance& c) { return falling(s, 1.3, 1.0, 60) * c.around_one(0.02); }},
    {"two networks against each other", 1, 800,
     [](auto, int s, Chance& c) { return (0.9 + 0.3 * std::sin(s / 37.0)) * c.heavy(0.4); }},
    {"a regression of large numbers", 4, 300,
     [](auto, int s, Chance& c) { return falling(s, 4e5, 3e3, 40) * c.around_one(0.15); }},
    {"a regression of small numbers", 4, 300,
     [](auto, int s, Chance& c) { return falling(s, 0.02, 0.0008, 40) * c.heavy(0.4); }},
    {"a detector", 8, 500, [](auto, int s, Chance& c) { return falling(s, 320, 5, 20) * c.heavy(0.3); }},
    {"20,000 steps", 1, 20'000,
     [](auto, int s, Chance& c) { return (2 + 9 * std::pow(s, -0.5)) * c.around_one(0.06); }},
};

std::string line(int step, double loss, const Healthy& kind) {
  const int epoch = kind.steps_of_epoch == 0 ? 1 : (step - 1) / kind.steps_of_epoch + 1;
  const int its_step = kind.steps_of_epoch == 0 ? step : (step - 1) % kind.steps_of_epoch + 1;
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "epoch: %d step: %d, loss is %.*f\n", epoch, its_step,
                kind.decimals, loss);
  return text.data();
}

std::string text_of(const monitor::Run& run) {
  std::string text;
  for (const RunFinding& each : findings(run))
    text += std::string(name_of(each.fault)) + " " + finding_text(each, nullptr) + "\n";
  return text;
}

TEST(HealthyRun, HasNoFindingOfWhateverKindItIs) {
  EXPECT_GE(std::size(healthy_runs), 20U);
  for (const Healthy& kind : healthy_runs)
    for (unsigned seed = 1; seed <= (kind.steps * kind.ranks > 10'000 ? 2U : 5U); ++seed) {
      monitor::Run run;
      Chance chance(seed);
      for (int step = 1; step <= kind.steps; ++step) {
        for (std::uint32_t rank = 0; rank < kind.ranks; ++rank)
          run.feed(rank, line(step, kind.loss(rank, step, chance), kind));
        if (step % std::max(1, kind.steps / 6) != 0) continue;
        ASSERT_EQ(text_of(run), "") << kind.what << ", seed " << seed << ", step " << step;
      }
      ASSERT_EQ(text_of(run), "") << kind.what << ", seed " << seed;
    }
}

TEST(HealthyRun, HasNoFindingWhereEpochsEndWithTheirMeans) {
  monitor::Run run;
  Chance chance(1);
  for (int epoch = 1; epoch <= 6; ++epoch) {
    for (int step = 1; step <= 50; ++step)
      run.feed(0, "epoch: " + std::to_string(epoch) + " step: " + std::to_string(step) + ", loss is " +
                      std::to_string(0.4 / epoch * chance.around_one(0.05)) + "\n");
    run.feed(0, "epoch " + std::to_string(epoch) + ": loss 9.5\nloss: 8.5\n");
  }
  EXPECT_EQ(run.merged().size(), 300U);
  EXPECT_EQ(text_of(run), "");
}

/// Ranks that print whenever their step is done, each with a step time of its own.
struct Pace {
  const char* what;
  std::function<int(std::uint32_t rank, int step)> ms;  ///< How long a step takes.
};

TEST(HealthyRun, HasNoFindingWhereRanksDriftApart) {
  const Pace paces[] = {
      {"a slow rank", [](std::uint32_t rank, int) { return rank == 2 ? 250 : 100; }},
      {"a rank that becomes slow",
       [](std::uint32_t rank, int step) { return rank == 1 && step > 100 ? 2000 : 100; }},
      {"a rank that evaluates",
       [](std::uint32_t rank, int step) { return rank == 0 && step % 100 == 0 ? 4000 : 50; }},
      {"all ranks at speeds of their own",
       [](std::uint32_t rank, int) { return 60 + 40 * static_cast<int>(rank); }},
  };
  for (const Pace& pace : paces) {
    monitor::Run run;
    Chance chance(1);
    std::array<int, 4> steps{};
    std::array<int, 4> next_ms{};
    for (int now_ms = 10; now_ms < 60'000; now_ms += 10)
      for (std::uint32_t rank = 0; rank < 4; ++rank) {
        if (now_ms < next_ms[rank] + pace.ms(rank, steps[rank])) continue;
        next_ms[rank] = now_ms;
        const double loss = falling(++steps[rank], 2.4, 0.2, 60) * chance.around_one(0.05);
        run.feed(rank, line(steps[rank], loss, healthy_runs[0]), 1'700'000'000'000 + now_ms);
        if (steps[rank] % 50 != 0) continue;
        ASSERT_EQ(text_of(run), "") << pace.what << " at " << now_ms;
      }
    EXPECT_EQ(text_of(run), "") << pace.what;
  }
}

TEST(HealthyRun, HasNoFindingWhereARankHasLessDataAndIsDone) {
  monitor::Run run;
  Chance chance(1);
  for (int step = 1; step <= 300; ++step)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      if (rank != 3 || step <= 200)
        run.feed(rank, line(step, falling(step, 2.4, 0.2, 60) * chance.around_one(0.05), healthy_runs[0]));
  run.set_state(3, ProcessState::done);
  EXPECT_EQ(text_of(run), "");
}

TEST(HealthyRun, HasNoFindingWhereRanksComputeOneModelTogether) {
  monitor::Run run;
  Chance chance(1);
  for (int step = 1; step <= 100; ++step)
    for (std::uint32_t replica = 0; replica < 4; ++replica) {
      const double loss = falling(step, 2.4, 0.2, 60) * chance.around_one(0.05);
      for (const std::uint32_t rank : {2 * replica, 2 * replica + 1})
        run.feed(rank, line(step, loss, healthy_runs[0]));
    }
  EXPECT_EQ(text_of(run), "");
}

/// A fault in a run of one of the kinds above.
struct FaultInKind {
  const char* kind;
  Fault fault;
  std::function<double(std::uint32_t rank, int step, double loss)> loss;
};

const FaultInKind faults_in_kinds[] = {
    {"much noise", Fault::not_finite,
     [](std::uint32_t r, int s, double l) { return r == 1 && s > 99 ? std::nan("") : l; }},
    {"a language model", Fault::spike, [](auto, int s, double l) { return s >= 500 && s < 520 ? l + 3 : l; }},
    {"little noise", Fault::spike, [](auto, int s, double l) { return s == 150 ? 4 * l : l; }},
    {"final losses of 0.004", Fault::spike,
     [](auto, int s, double l) { return s >= 500 && s < 505 ? 1.5 : l; }},
    {"a regression of large numbers", Fault::spike,
     [](auto, int s, double l) { return s == 200 ? 20 * l : l; }},
    {"a language model", Fault::rise,
     [](auto, int s, double l) { return s > 500 ? l + 0.01 * (s - 500) : l; }},
    {"much noise", Fault::rise, [](auto, int s, double l) { return s > 150 ? l + 0.02 * (s - 150) : l; }},
    {"a learning rate that falls in steps", Fault::rise,
     [](auto, int s, double l) { return s > 700 ? 3 : l; }},
    {"a warm-up of little progress", Fault::plateau,
     [](auto, int s, double l) { return s > 40 ? 10 + s % 3 * 0.01 : l; }},
    {"much noise", Fault::divergence,
     [](std::uint32_t r, int s, double l) { return r == 2 && s > 200 ? l + 2 : l; }},
    {"512 ranks", Fault::divergence,
     [](std::uint32_t r, int s, double l) { return r == 77 && s > 40 ? 2.4 : l; }},
    {"little noise", Fault::stopped,
     [](std::uint32_t r, int s, double l) { return r == 5 && s > 200 ? -1 : l; }},
};

TEST(HealthyRun, HasTheFaultThatIsPlantedIntoIt) {
  for (const FaultInKind& each : faults_in_kinds) {
    const Healthy* kind =
        std::find_if(std::begin(healthy_runs), std::end(healthy_runs),
                     [&](const Healthy& its) { return std::string(its.what) == each.kind; });
    ASSERT_NE(kind, std::end(healthy_runs)) << each.kind;
    monitor::Run run;
    Chance chance(1);
    for (int step = 1; step <= kind->steps; ++step)
      for (std::uint32_t rank = 0; rank < kind->ranks; ++rank) {
        const double loss = each.loss(rank, step, kind->loss(rank, step, chance));
        const bool prints = each.fault != Fault::stopped || loss >= 0;
        if (prints) run.feed(rank, line(step, loss, *kind));
      }
    const std::vector<RunFinding> found = findings(run);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const RunFinding& its) { return its.fault == each.fault; }))
        << each.kind << ": no " << name_of(each.fault) << " in: " << text_of(run);
  }
}

TEST(HealthyRun, HasAStoppedRankOnlyAfterItsSilence) {
  monitor::Run run;
  for (int step = 1; step <= 400; ++step)
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      if (rank == 1 && step > 100) continue;
      run.feed(rank, line(step, falling(step, 2.4, 0.2, 60) + 0.001 * rank, healthy_runs[0]),
               1'700'000'000'000 + 100 * step);
      if (step != 145) continue;
      EXPECT_EQ(text_of(run), "") << "it has been silent for 4.5 s, 45 steps of others";
    }
  ASSERT_EQ(findings(run).size(), 1U) << text_of(run);
  EXPECT_EQ(findings(run)[0].fault, Fault::stopped);
  EXPECT_EQ(findings(run)[0].rank, 1U);
}

}  // namespace
}  // namespace adarun::monitor
