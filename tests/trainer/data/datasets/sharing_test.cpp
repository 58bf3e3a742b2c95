// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/sharing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;

const std::vector<std::uint8_t> wanted = {3, 1, 4, 1, 5};

TEST(Sharing, ReadsOnceOnEachNodeForAllItsRanks) {
  std::atomic<int> reads = 0;
  const auto body = [&](adasum::Communicator& world) {
    const NodeSharing sharing(world.split_by_node());
    const Bytes bytes = sharing.once([&] {
      ++reads;
      return wanted;
    });
    EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), wanted);
  };
  adasum::run_ranks(6, body, {.ranks_per_node = 3});
  EXPECT_EQ(reads, 2);
}

TEST(Sharing, KeepsBytesAsLongAsSomebodyHasThem) {
  adasum::run_ranks(2, [](adasum::Communicator& world) {
    Bytes kept;
    {
      const NodeSharing sharing(world.split_by_node());
      const Bytes bytes = sharing.once([] { return wanted; });
      kept = bytes;
    }
    EXPECT_EQ(kept[4], 5);
    EXPECT_EQ(kept.size(), 5U);
  });
}

TEST(Sharing, LetsEachRankSayWhatIsWrong) {
  std::atomic<int> refused = 0;
  adasum::run_ranks(3, [&](adasum::Communicator& world) {
    const NodeSharing sharing(world.split_by_node());
    const auto torn = []() -> std::vector<std::uint8_t> { throw Error("torn.gz: ends in the middle"); };
    EXPECT_EQ(refusal([&] { sharing.once(torn); }), "torn.gz: ends in the middle");
    ++refused;
  });
  EXPECT_EQ(refused, 3);
}

/// What each rank hears of its folder.
std::vector<std::string> heard_of(const std::vector<std::string>& folders, int ranks_per_node) {
  std::vector<std::string> heard(folders.size());
  const auto body = [&](adasum::Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    heard[rank] =
        refusal(Exit::refused, [&] { NodeSharing(world.split_by_node()).check_folder(folders[rank]); });
  };
  adasum::run_ranks(static_cast<int>(folders.size()), body, {.ranks_per_node = ranks_per_node});
  return heard;
}

TEST(Sharing, RefusesAnotherFolderThanThatOfTheRankThatReads) {
  const test::ScratchFolder folder;
  folder.write("data/a", "");
  std::filesystem::create_symlink("data", folder.path() / "link");
  const std::string data = folder.path() / "data";
  const std::string link = folder.path() / "link/";
  EXPECT_EQ(heard_of({data, link, "/nowhere", "/nowhere"}, 2), std::vector<std::string>(4, "accepted"));
  EXPECT_EQ(heard_of({data, link, "/nowhere", data}, 4),
            std::vector<std::string>(
                4, "rank 2: --data-path /nowhere: rank 0, which reads for all ranks of its node, has " +
                       data + ": wanted the same folder"));
}

TEST(Sharing, TakesNoBytesToo) {
  adasum::run_ranks(2, [](adasum::Communicator& world) {
    EXPECT_TRUE(NodeSharing(world.split_by_node()).once([] { return std::vector<std::uint8_t>{}; }).empty());
  });
}

}  // namespace
}  // namespace adarun::trainer
