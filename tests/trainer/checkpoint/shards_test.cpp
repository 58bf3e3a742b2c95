// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/shards.h"

#include <gtest/gtest.h>

#include <numeric>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

const RunIdentity shards_identity = {"r-1", {{"model", "lenet5"}}};
constexpr std::size_t weight_count = 5;
constexpr std::size_t statistic_count = 2;

/// Values of two whole tensors of 23 values, 0, 1, ... and 100, 101, ...
float whole_value(std::size_t tensor, std::size_t at) {
  return static_cast<float>(100 * tensor + at);
}

/// How many of 23 values each of `ranks` ranks has: unlike ones, of some none.
std::vector<std::size_t> shard_sizes(int ranks) {
  std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks));
  std::size_t left = 23;
  for (std::size_t rank = 0; rank + 1 < sizes.size(); ++rank) {
    sizes[rank] = std::min(left, rank % 3 == 1 ? 0 : 2 * rank + 1);
    left -= sizes[rank];
  }
  sizes.back() = left;
  return sizes;
}

/// The shards that a rank has of both tensors.
std::vector<std::vector<float>> shards_of(std::size_t rank, int ranks) {
  const std::vector<std::size_t> sizes = shard_sizes(ranks);
  const auto begin =
      std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank), std::size_t{0});
  std::vector<std::vector<float>> shards(2);
  for (std::size_t tensor = 0; tensor < 2; ++tensor)
    for (std::size_t i = 0; i < sizes[rank]; ++i) shards[tensor].push_back(whole_value(tensor, begin + i));
  return shards;
}

/// The files of `ranks` ranks, with the statistics rank, rank + 0.5.
std::vector<fs::path> write_shards(const test::ScratchFolder& folder, int ranks) {
  std::vector<fs::path> files;
  const std::vector<float> same(weight_count, 7);
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    const std::vector<float> own = {static_cast<float>(rank), static_cast<float>(rank) + 0.5F};
    const auto shards = shards_of(rank, ranks);
    files.push_back(folder.path() / ("rank_" + std::to_string(rank)));
    write_checkpoint(files.back(), shards_identity, {3, static_cast<int>(rank)},
                     {same, own, shards[0], shards[1]});
  }
  return files;
}

/// Room for a rank of `ranks`.
struct RankRoom {
  RankRoom(std::size_t rank, int ranks, std::size_t writers)
      : same(weight_count), of_all(statistic_count * writers), shards(shards_of(rank, ranks)) {
    for (auto& shard : shards) std::ranges::fill(shard, -1.0F);
  }
  std::vector<std::span<float>> spans() { return {same, of_all, shards[0], shards[1]}; }

  std::vector<float> same;
  std::vector<float> of_all;
  std::vector<std::vector<float>> shards;
};

TEST(Shards, AreDividedAnewAmongAnyNumberOfRanks) {
  for (const int writers : {1, 2, 5, 8}) {
    const test::ScratchFolder folder;
    const std::vector<fs::path> files = write_shards(folder, writers);
    for (const int ranks : {1, 3, 4, 9}) {
      adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        RankRoom room(rank, ranks, files.size());
        CheckpointHeader header;
        ASSERT_EQ(read_shards(files, shards_identity, room.spans(), communicator, header), "");
        EXPECT_EQ(room.same, std::vector<float>(weight_count, 7));
        EXPECT_EQ(room.shards, shards_of(rank, ranks)) << writers << " to " << ranks;
        for (std::size_t i = 0; i < room.of_all.size(); ++i)
          EXPECT_EQ(room.of_all[i], static_cast<float>(i) / 2);
        if (rank == 0) {
          EXPECT_EQ(header.state.step, 0);
        }
      });
    }
  }
}

TEST(Shards, ThatOneRankFindsDamagedAreNamedOnAll) {
  const test::ScratchFolder folder;
  const std::vector<fs::path> files = write_shards(folder, 4);
  fs::resize_file(files[3], 40);
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    RankRoom room(static_cast<std::size_t>(communicator.rank()), 3, files.size());
    CheckpointHeader header;
    EXPECT_EQ(read_shards(files, shards_identity, room.spans(), communicator, header),
              files[3].string() + ": torn: its end is missing");
  });
}

TEST(Shards, OfOtherTensorsAreRefused) {
  const test::ScratchFolder folder;
  std::vector<fs::path> files = write_shards(folder, 4);
  files.pop_back();
  EXPECT_THROW(adasum::run_ranks(2,
                                 [&](adasum::Communicator& communicator) {
                                   RankRoom room(static_cast<std::size_t>(communicator.rank()), 2,
                                                 files.size());
                                   CheckpointHeader header;
                                   read_shards(files, shards_identity, room.spans(), communicator, header);
                                 }),
               Error);
}

}  // namespace
}  // namespace adarun::trainer
