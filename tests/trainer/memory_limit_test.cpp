// SPDX-License-Identifier: Apache-2.0
#include "trainer/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/models/models.h"

namespace adarun::trainer {
namespace {

std::string memory_refusal(const std::vector<planner::Strategy>& strategies, double bytes_left, int rank = 1,
                           const std::string& checkpoint_dir = "") {
  TrainerOptions options;
  options.checkpoint_dir = checkpoint_dir;
  options.batch_size = 1;
  const Model model = model_named("wide_mlp", {1, 28, 10});
  try {
    check_memory(model, options, rank, 4, strategies, {bytes_left, "ulimit -v"});
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Exit::refused);
    return error.what();
  }
}

TEST(CheckMemory, SaysWhatIsWantedAndHadAndWhichCommandPlans) {
  // 20,037,642 weights, gradients and momenta of 4 bytes: 240.4 MB, and few activations.
  EXPECT_EQ(memory_refusal({}, 241e6), "");
  EXPECT_EQ(memory_refusal({}, 100e6),
            "model wide_mlp: a step of 1 images needs 240.4 MB on each rank, and ulimit -v leaves 100 MB: "
            "split it by "
            "a plan: adarun plan --ranks 4 --model wide_mlp --batch-size 1 --memory 100M -o plan.json -- "
            "--image-size 28 "
            "--channels 1 --num-classes 10, then --plan plan.json");
}

const std::vector<planner::Strategy> in_four_parts = {{1, 4, planner::LayerSplit::outputs},
                                                      {1, 4, planner::LayerSplit::inputs},
                                                      {1, 4, planner::LayerSplit::outputs}};

TEST(CheckMemory, CountsThePartsOfAPlan) {
  EXPECT_EQ(memory_refusal(in_four_parts, 100e6), "");
}

TEST(CheckMemory, CountsWhatRankZeroGathersForACheckpoint) {
  EXPECT_EQ(memory_refusal(in_four_parts, 100e6, 1, "kept"), "");
  EXPECT_EQ(memory_refusal(in_four_parts, 300e6, 0, "kept"), "");
  EXPECT_EQ(
      memory_refusal(in_four_parts, 100e6, 0, "kept"),
      "model wide_mlp: a step of 1 images needs 220.5 MB (with the whole weights of a checkpoint) on rank 0, "
      "and ulimit -v leaves 100 MB");
}

TEST(LimitOfGroups, IsThatOfTheNarrowestAround) {
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
  EXPECT_EQ(limit_of_groups(rank), (MemoryLimit{4000, "memory.max of its control group"}));
}

TEST(LimitOfGroups, IsWhatTheGroupMayStillTake) {
  const test::ScratchFolder folder;
  std::ofstream(folder.path() / "cgroup.procs");
  EXPECT_FALSE(limit_of_groups(folder.path()));
  std::ofstream(folder.path() / "memory.max") << "1000000\n";
  std::ofstream(folder.path() / "memory.current") << "400000\n";
  EXPECT_EQ(limit_of_groups(folder.path()), (MemoryLimit{600000, "memory.max of its control group"}));
  std::ofstream(folder.path() / "memory.stat")
      << "anon 1\nfile 350000\ninactive_file 200000\nactive_file 100000\n";
  EXPECT_EQ(limit_of_groups(folder.path()), (MemoryLimit{900000, "memory.max of its control group"}));
  std::ofstream(folder.path() / "memory.max") << "max\n";
  EXPECT_FALSE(limit_of_groups(folder.path()));
}

}  // namespace
}  // namespace adarun::trainer
