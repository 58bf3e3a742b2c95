// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

std::string memory_refusal(const TrainerOptions& options, const std::vector<planner::Strategy>& strategies,
                           double bytes_left, int rank) {
  const Model model = model_named("wide_mlp", {1, 28, 10});
  return testing_data::refusal(Exit::refused, [&] {
    check_memory(model, options, rank, 4, strategies, {bytes_left, "ulimit -v", 0});
  });
}

std::string memory_refusal(const std::vector<planner::Strategy>& strategies, double bytes_left, int rank = 1,
                           const std::string& checkpoint_dir = "", int micro_batches = 1) {
  TrainerOptions options;
  options.checkpoint_dir = checkpoint_dir;
  options.batch_size = micro_batches;
  options.micro_batches = micro_batches;
  return memory_refusal(options, strategies, bytes_left, rank);
}

TEST(CheckMemory, SaysWhatIsWantedAndHadAndWhichCommandPlans) {
  // 20,037,642 weights, gradients and momenta of 4 bytes: 240.4 MB, and few activations. Twice the new
  // gradients of the second layer, 16,781,312: 134.3 MB.
  EXPECT_EQ(memory_refusal({}, 375e6), "accepted");
  EXPECT_EQ(memory_refusal({}, 100e6),
            "model wide_mlp: a step of 1 images needs 374.7 MB on each rank, and ulimit -v leaves 100 MB: "
            "split it by "
            "a plan: adarun plan --ranks 4 --model wide_mlp --batch-size 1 --memory 100M -o plan.json -- "
            "--image-size 28 "
            "--channels 1 --num-classes 10, then --plan plan.json");
}

TEST(CheckMemory, CountsTheActivationsOfOneMicroBatch) {
  EXPECT_EQ(memory_refusal({}, 375e6, 1, "", 8), "accepted");
  EXPECT_EQ(
      memory_refusal({}, 100e6, 1, "", 8),
      "model wide_mlp: a step of 8 images needs 374.7 MB on each rank, and ulimit -v leaves 100 MB: "
      "split it by a plan: adarun plan --ranks 4 --model wide_mlp --batch-size 8 --micro-batches 8 "
      "--memory 100M -o plan.json -- --image-size 28 --channels 1 --num-classes 10, then --plan plan.json");
}

// Else the plan could need as much again, or one that is found be refused.
TEST(CheckMemory, NamesACommandThatCountsTheSameOptimizerAndReduction) {
  for (const auto& [optimizer, slots] :
       {std::pair{"adam", " --optimizer-slots 2"}, std::pair{"sgd", " --optimizer-slots 0"},
        std::pair{"momentum", ""}}) {
    TrainerOptions options;
    options.optimizer.name = optimizer;
    for (const auto& [reduce, with] :
         {std::pair{Reduce::mean, " --reduce mean"}, std::pair{Reduce::adasum, ""}}) {
      options.reduce = reduce;
      const std::string wanted =
          "--batch-size 32" + std::string(slots) + with + " --memory 100M -o plan.json --";
      EXPECT_NE(memory_refusal(options, {}, 100e6, 1).find(wanted), std::string::npos) << wanted;
    }
  }
}

const std::vector<planner::Strategy> in_four_parts = {{1, 4, planner::LayerSplit::outputs},
                                                      {1, 4, planner::LayerSplit::inputs},
                                                      {1, 4, planner::LayerSplit::outputs}};

TEST(CheckMemory, CountsThePartsOfAPlan) {
  EXPECT_EQ(memory_refusal(in_four_parts, 100e6), "accepted");
}

TEST(CheckMemory, CountsWhatRankZeroGathersForACheckpoint) {
  EXPECT_EQ(memory_refusal(in_four_parts, 100e6, 1, "kept"), "accepted");
  EXPECT_EQ(memory_refusal(in_four_parts, 300e6, 0, "kept"), "accepted");
  EXPECT_EQ(
      memory_refusal(in_four_parts, 100e6, 0, "kept"),
      "model wide_mlp: a step of 1 images needs 220.5 MB (with the whole weights of a checkpoint) on rank 0, "
      "and ulimit -v leaves 100 MB");
}

// wide_mlp has one large tensor, whose momenta only its owner has; a plan is not for such a training.
TEST(CheckMemory, CountsTheLargestShardOfTheOptimizer) {
  TrainerOptions options;
  options.batch_size = 1;
  options.optimizer.name = "adam";
  options.shard_optimizer = true;
  // 20,037,642 weights and gradients and twice the 16,777,216 weights of the second layer: 294.5 MB,
  // and twice its new gradients: 134.3 MB.
  EXPECT_EQ(memory_refusal(options, {}, 429e6, 1), "accepted");
  EXPECT_EQ(memory_refusal(options, {}, 100e6, 1),
            "model wide_mlp: a step of 1 images needs 428.8 MB on each rank, and ulimit -v leaves 100 MB");
}

// When others have ended, a rank keeps weights and momenta while it makes room for the next training.
TEST(CheckMemory, CountsWhatRanksGoOnFrom) {
  TrainerOptions options;
  options.batch_size = 1;
  options.elastic = true;
  EXPECT_EQ(memory_refusal(options, {}, 536e6, 1), "accepted");
  EXPECT_EQ(memory_refusal(options, {}, 500e6, 1),
            "model wide_mlp: a step of 1 images needs 535 MB (with a copy of the weights and the optimizer "
            "to continue "
            "from) on each rank, and ulimit -v leaves 500 MB");
}

TEST(CheckMemory, NamesNoPlanWhereThePrecisionAllowsNone) {
  TrainerOptions options;
  options.precision = Precision::bfloat16;
  EXPECT_EQ(memory_refusal(options, {}, 100e6, 1).find("adarun plan"), std::string::npos);
}

void expect_limit(const std::vector<MemoryLimit>& limits, double bytes_left) {
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0].bytes_left, bytes_left);
  EXPECT_EQ(limits[0].name, "memory.max of its control group");
  EXPECT_NE(limits[0].group, 0U);
}

TEST(LimitsOfGroups, AreThoseOfAllAround) {
  const test::ScratchFolder folder;
  const std::filesystem::path rank = folder.path() / "job" / "rank";
  std::filesystem::create_directories(rank);
  for (const auto& group : {rank, rank.parent_path()}) std::ofstream(group / "cgroup.procs");
  std::ofstream(rank / "memory.max") << "max\n";
  std::ofstream(rank / "memory.current") << "1000\n";
  std::ofstream(rank.parent_path() / "memory.max") << "5000\n";
  std::ofstream(rank.parent_path() / "memory.current") << "1000\n";
  std::ofstream(folder.path() / "memory.max") << "10\n";  // No group: the mount does not reach so far.
  std::ofstream(folder.path() / "memory.current") << "1\n";
  expect_limit(limits_of_groups(rank), 4000);
  std::ofstream(rank / "memory.max") << "8000\n";
  const std::vector<MemoryLimit> both = limits_of_groups(rank);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].bytes_left, 7000);
  EXPECT_EQ(both[1].bytes_left, 4000);
  EXPECT_NE(both[0].group, both[1].group);
}

TEST(LimitsOfGroups, AreWhatAGroupMayStillTake) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "cgroup.procs");
  EXPECT_TRUE(limits_of_groups(folder.path()).empty());
  std::ofstream(folder.path() / "memory.max") << "1000000\n";
  std::ofstream(folder.path() / "memory.current") << "400000\n";
  expect_limit(limits_of_groups(folder.path()), 600000);
  std::ofstream(folder.path() / "memory.stat")
      << "anon 1\nfile 350000\ninactive_file 200000\nactive_file 100000\n";
  expect_limit(limits_of_groups(folder.path()), 900000);
  std::ofstream(folder.path() / "memory.max") << "max\n";
  EXPECT_TRUE(limits_of_groups(folder.path()).empty());
}

TEST(ShareOnNode, IsTheSameForAllRanksOfOneControlGroup) {
  const std::vector<std::uint64_t> group_of_rank = {7, 9, 7, 0, 7};
  std::vector<std::optional<MemoryLimit>> shares(6);
  adasum::run_ranks(6, [&](adasum::Communicator& node) {
    const auto rank = static_cast<std::size_t>(node.rank());
    std::vector<MemoryLimit> limits;  // The last one has begun before.
    if (rank < 5) limits.push_back({600, "memory.max", group_of_rank[rank]});
    shares[rank] = share_on_node(limits, node);
  });
  const MemoryLimit third{200, "its share of memory.max", 7};
  EXPECT_EQ(
      shares,
      (std::vector<std::optional<MemoryLimit>>{
          third, MemoryLimit{600, "memory.max", 9}, third, MemoryLimit{600, "memory.max", 0}, third, {}}));
}

// The narrower one before it is shared may be the wider one afterwards.
TEST(ShareOnNode, IsTheNarrowestAfterTheGroupsHaveBeenShared) {
  std::vector<std::optional<MemoryLimit>> shares(4);
  adasum::run_ranks(4, [&](adasum::Communicator& node) {
    const auto rank = static_cast<std::uint64_t>(node.rank());
    shares[rank] = share_on_node({{500, "ulimit -v", 0}, {400, "own", 10 + rank}, {800, "around", 7}}, node);
  });
  for (const auto& share : shares) EXPECT_EQ(share, (MemoryLimit{200, "its share of around", 7}));
}

}  // namespace
}  // namespace adarun::trainer
