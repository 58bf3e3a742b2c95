// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "trainer/base/error.h"
#include "trainer/options/rules.h"

namespace adarun::trainer {
namespace {

/// What is said against a plan if `change` is made to options that go with one.
std::string said_with(const std::function<void(TrainerOptions&, Reduction&)>& change) {
  TrainerOptions options;
  options.plan = "plan.json";
  Reduction reduction{Reduce::adasum, 1};
  change(options, reduction);
  try {
    check_plan(options, reduction);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Exit::usage);
    return error.what();
  }
}

TEST(PlanRules, NameWhatDoesNotGoWithAPlan) {
  EXPECT_EQ(said_with([](auto&, auto&) {}), "");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.reduce = Reduce::mean; }), "");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.reduce = Reduce::sum; }),
            "--plan: not with --reduce sum or none: wanted adasum or mean");
  EXPECT_EQ(said_with([](auto&, auto& reduction) { reduction.group_size = 8; }),
            "--plan: not with --device-number 8: wanted flat");
  EXPECT_EQ(said_with([](auto& options, auto&) { options.optimizer.name = "lars"; }),
            "--plan: not with --optimizer lars, which needs the length of whole tensors");
  EXPECT_EQ(said_with([](auto& options, auto&) { options.boost.less_bn.emplace(); }),
            "--plan: not with boost's less_bn, grad_freeze or dim_reduce");
  EXPECT_NE(said_with([](auto& options, auto&) { options.adasum_on = AdasumOn::delta; }), "");
  EXPECT_NE(said_with([](auto&, auto& reduction) { reduction.per = AdasumPer::row; }), "");
  EXPECT_NE(said_with([](auto& options, auto&) { options.bucket_mb = 1; }), "");
  EXPECT_NE(said_with([](auto& options, auto&) { options.adasum_diagnostics = 1; }), "");
  EXPECT_NE(said_with([](auto& options, auto&) { options.shard_optimizer = true; }), "");
  EXPECT_NE(said_with([](auto& options, auto&) { options.precision = Precision::bfloat16; }), "");
  EXPECT_NE(said_with([](auto& options, auto&) { options.device = DeviceChoice::automatic; }), "");
}

// Nor do they name a reduction that nobody has asked for.
TEST(PlanRules, WantSeveralRanksThatTrainTogether) {
  const auto said = [](ParallelMode mode, std::optional<Reduce> reduce) {
    return said_with([&](auto& options, auto& reduction) {
      options.parallel_mode = mode;
      options.reduce = reduce;
      reduction.reduce = Reduce::none;
    });
  };
  EXPECT_EQ(said(ParallelMode::data_parallel, {}), "--plan: there is one rank: wanted several");
  EXPECT_EQ(said(ParallelMode::stand_alone, {}), "--plan: not with --parallel-mode stand_alone");
  EXPECT_EQ(said(ParallelMode::stand_alone, Reduce::none), "--plan: not with --parallel-mode stand_alone");
  EXPECT_EQ(said(ParallelMode::data_parallel, Reduce::none),
            "--plan: not with --reduce sum or none: wanted adasum or mean");
}

TEST(PlanRules, SayNothingWithoutAPlan) {
  EXPECT_EQ(said_with([](auto& options, auto& reduction) {
              options.plan.clear();
              reduction.reduce = Reduce::none;
            }),
            "");
}

TEST(PlanRules, WantAPlanForHybridParallelAndNoneForAutoParallel) {
  const auto said = [](ParallelMode mode, const std::string& plan, const std::string& costs = "") {
    return said_with([&](auto& options, auto&) {
      options.parallel_mode = mode;
      options.plan = plan;
      options.link_costs = costs;
    });
  };
  EXPECT_EQ(said(ParallelMode::hybrid_parallel, "plan.json"), "");
  EXPECT_EQ(said(ParallelMode::hybrid_parallel, ""),
            "--parallel-mode hybrid_parallel: wanted --plan FILE (adarun plan -o FILE makes one)");
  EXPECT_EQ(said(ParallelMode::auto_parallel, "", "costs.json"), "");
  EXPECT_EQ(said(ParallelMode::auto_parallel, "plan.json"),
            "--plan: not with --parallel-mode auto_parallel, which makes one: wanted hybrid_parallel");
  EXPECT_EQ(said(ParallelMode::data_parallel, "", "costs.json"),
            "--costs: only with --parallel-mode auto_parallel");
}

TEST(PlanRules, HoldForAPlanThatIsMadeHereToo) {
  EXPECT_EQ(
      said_with([](auto& options, auto&) {
        options.parallel_mode = ParallelMode::auto_parallel;
        options.plan.clear();
        options.optimizer.name = "lars";
      }),
      "--parallel-mode auto_parallel: not with --optimizer lars, which needs the length of whole tensors");
}

}  // namespace
}  // namespace adarun::trainer
