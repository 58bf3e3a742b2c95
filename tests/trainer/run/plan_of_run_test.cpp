// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/plan_of_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

using planner::LayerSplit;
using planner::Strategy;
using Strategies = std::vector<Strategy>;

/// A plan of mlp for two ranks, whose first layer runs so.
std::string plan_of_mlp(const std::string& first) {
  return R"({"schema": "adarun-plan-1", "model": "mlp", "ranks": 2, "batch": 8, "layers": [
    {"name": "fc1", )" +
         first + R"(},
    {"name": "fc2", "replicas": 1, "parts": 2, "split": "inputs"},
    {"name": "fc3", "replicas": 2, "parts": 1, "split": "none"}]})";
}

constexpr const char* split_first = R"("replicas": 1, "parts": 2, "split": "outputs")";
constexpr const char* whole_first = R"("replicas": 2, "parts": 1, "split": "none")";

/// What two ranks make of their options: a plan, or what they throw.
struct PlansOfRanks {
  std::vector<Strategies> plans = std::vector<Strategies>(2);
  std::vector<std::string> refusals = std::vector<std::string>(2);
};

PlansOfRanks plans_with(const Model& model, const std::function<TrainerOptions(int rank)>& options,
                        const std::optional<MemoryLimit>& limit = std::nullopt) {
  PlansOfRanks found;
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    found.refusals[rank] = testing_data::refusal(Exit::refused, [&] {
      found.plans[rank] =
          plan_of_run(options(communicator.rank()), model, limit, communicator, [](const std::string&) {});
    });
  });
  return found;
}

/// Each rank has a file of its own with the plan of this name.
PlansOfRanks plans_of_files(const std::vector<std::string>& files) {
  return plans_with(model_named("mlp", {1, 28, 10}), [&](int rank) {
    TrainerOptions options;
    options.plan = files[static_cast<std::size_t>(rank)];
    return options;
  });
}

TEST(GivenPlan, IsTheSameOnAllRanks) {
  const test::ScratchFolder folder;
  const std::string one = folder.write("one.json", plan_of_mlp(split_first));
  const std::string same = folder.write("same.json", plan_of_mlp(split_first));
  const Strategies wanted = {
      {1, 2, LayerSplit::outputs}, {1, 2, LayerSplit::inputs}, {2, 1, LayerSplit::none}};
  EXPECT_EQ(plans_of_files({one, same}).plans, (std::vector<Strategies>{wanted, wanted}));
}

TEST(GivenPlan, IsRefusedByAllRanksWhereOneHasAnother) {
  const test::ScratchFolder folder;
  const std::string one = folder.write("one.json", plan_of_mlp(split_first));
  const std::string other = folder.write("other.json", plan_of_mlp(whole_first));
  const std::string refusal =
      "--plan: rank 1: " + other +
      ": another plan than that of rank 0: wanted the same file on every node (adarun "
      "train --stage " +
      other + " copies it)";
  EXPECT_EQ(plans_of_files({one, other}).refusals, std::vector<std::string>(2, refusal));
}

TEST(GivenPlan, IsRefusedByAllRanksWhereOneCannotReadIt) {
  const test::ScratchFolder folder;
  const std::string one = folder.write("one.json", plan_of_mlp(split_first));
  const std::string none = folder.path() / "none.json";
  const auto second = plans_of_files({one, none}).refusals;
  EXPECT_THAT(second[0],
              testing::StartsWith("--plan: rank 1: " + none + ": No such file or directory: wanted"));
  EXPECT_EQ(second[1], second[0]);
  const auto first = plans_of_files({none, one}).refusals;
  EXPECT_EQ(first, std::vector<std::string>(2, "--plan: " + none + ": No such file or directory"));
}

TrainerOptions of_auto_parallel(int batch_size, int micro_batches, const std::string& checkpoint_dir = "") {
  TrainerOptions options;
  options.parallel_mode = ParallelMode::auto_parallel;
  options.batch_size = batch_size;
  options.micro_batches = micro_batches;
  options.checkpoint_dir = checkpoint_dir;
  return options;
}

// Of 61,706 weights, gradients and momenta: 740 kB. Of an image the first layer keeps 4 kB, all layers 13 kB.
TEST(MadePlan, HasTheActivationsOfOnePassInMemory) {
  const Model model = model_named("lenet5", {1, 32, 10});
  const MemoryLimit limit{2e6, "ulimit -v", 0};
  const auto at_once = plans_with(
      model, [](int) { return of_auto_parallel(512, 1); }, limit);
  EXPECT_THAT(
      at_once.refusals[0],
      testing::MatchesRegex("--parallel-mode auto_parallel: model lenet5: no plan for 2 ranks needs less "
                            "than .* MB of memory on each, and the limit is 2 MB"));
  EXPECT_EQ(at_once.refusals[1], at_once.refusals[0]);
  const auto in_parts = plans_with(
      model, [](int) { return of_auto_parallel(512, 512); }, limit);
  EXPECT_EQ(in_parts.refusals, std::vector<std::string>(2, "accepted"));
  EXPECT_EQ(in_parts.plans[0].size(), 5U);
  EXPECT_EQ(in_parts.plans[1], in_parts.plans[0]);
}

TEST(MadePlan, SaysWhatACheckpointTakesOfTheMemoryOfRankZero) {
  const Model model = model_named("lenet5", {1, 32, 10});
  const auto refusal_with = [&](const std::string& checkpoint_dir) {
    return plans_with(
               model, [&](int) { return of_auto_parallel(8, 8, checkpoint_dir); },
               MemoryLimit{checkpoint_dir.empty() ? 0.2e6 : 0.7e6, "ulimit -v", 0})
        .refusals[1];
  };
  EXPECT_THAT(
      refusal_with("kept"),
      testing::EndsWith(", and the limit is 700 kB, with 493.6 kB on rank 0 for the whole weights of a "
                        "checkpoint"));
  EXPECT_THAT(refusal_with(""), testing::EndsWith(", and the limit is 200 kB"));
}

// The largest layer's new gradients, 386 kB on a rank with all of it, are gone when a checkpoint is gathered.
TEST(MadePlan, HasRoomForACheckpointOrNewGradients) {
  const Model model = model_named("lenet5", {1, 32, 10});
  const auto made = plans_with(
      model, [](int) { return of_auto_parallel(8, 8, "kept"); }, MemoryLimit{0.95e6, "ulimit -v", 0});
  EXPECT_EQ(made.refusals, std::vector<std::string>(2, "accepted"));
}

}  // namespace
}  // namespace adarun::trainer
