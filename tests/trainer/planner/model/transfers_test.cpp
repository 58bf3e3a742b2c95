// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/model/transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace adarun::planner {
namespace {

/// Every layout on `ranks` ranks.
std::vector<ActivationLayout> layouts(std::int64_t ranks) {
  std::vector<ActivationLayout> all;
  for (std::int64_t parts = 1; parts <= ranks; ++parts) {
    if (ranks % parts != 0) continue;
    for (const Channels channels : {Channels::all, Channels::part})
      all.push_back({ranks / parts, parts, channels});
  }
  return all;
}

std::string text(const ActivationLayout& of) {
  return std::to_string(of.replicas) + "x" + std::to_string(of.parts) +
         (of.channels == Channels::all ? " all" : " part");
}

/// Calls check(from, to, extent) for pairs of layouts, among them some with uneven and empty parts.
template <typename Check>
void for_each_change(const Check& check) {
  for (const std::int64_t ranks : {1, 2, 6, 8}) {
    for (const std::int64_t channels : {3, 8, 13}) {
      for (const ActivationLayout& from : layouts(ranks)) {
        for (const ActivationLayout& to : layouts(ranks)) {
          SCOPED_TRACE(text(from) + " to " + text(to) + ", " + std::to_string(channels) + " channels");
          check(from, to, Extent{3 * ranks, channels}, ranks);
        }
      }
    }
  }
}

using Place = std::pair<std::int64_t, std::int64_t>;  // sample, channel

/// Adds one to each value of a block.
void count(const TensorBlock& block, std::map<Place, int>& counts) {
  for (std::int64_t s = block.samples.begin; s < block.samples.end; ++s) {
    for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) ++counts[{s, c}];
  }
}

TEST(Transfers, BringEachValueThatARankNeedsOnceFromARankThatHoldsIt) {
  for_each_change(
      [](const ActivationLayout& from, const ActivationLayout& to, const Extent& extent, std::int64_t ranks) {
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          std::map<Place, int> wanted;
          count(held(to, extent, rank), wanted);
          std::map<Place, int> taken;
          for (const auto& [peer, block] : incoming(from, to, extent, rank)) {
            count(block, taken);
            const TensorBlock of_peer = held(from, extent, peer);
            EXPECT_EQ(common(block.samples, of_peer.samples), block.samples);
            EXPECT_EQ(common(block.channels, of_peer.channels), block.channels);
          }
          EXPECT_EQ(taken, wanted) << "rank " << rank;
        }
      });
}

TEST(Transfers, AreGivenByOneRankAsTheyAreTakenByTheOther) {
  for_each_change(
      [](const ActivationLayout& from, const ActivationLayout& to, const Extent& extent, std::int64_t ranks) {
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TensorBlock>> given;
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TensorBlock>> taken;
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          for (const auto& [peer, block] : outgoing(from, to, extent, rank))
            given[{rank, peer}].push_back(block);
          for (const auto& [peer, block] : incoming(from, to, extent, rank))
            taken[{peer, rank}].push_back(block);
        }
        EXPECT_EQ(given, taken);
      });
}

TEST(Transfers, TakeFromTheRankItselfWhatItHolds) {
  for_each_change(
      [](const ActivationLayout& from, const ActivationLayout& to, const Extent& extent, std::int64_t ranks) {
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          const TensorBlock before = held(from, extent, rank);
          const TensorBlock after = held(to, extent, rank);
          const std::int64_t both =
              common(before.samples, after.samples).size() * common(before.channels, after.channels).size();
          std::int64_t own = 0;
          for (const auto& [peer, block] : incoming(from, to, extent, rank)) {
            if (peer == rank) own += block.samples.size() * block.channels.size();
          }
          EXPECT_EQ(own, both) << "rank " << rank;
        }
      });
}

TEST(Transfers, OfWhatAllRanksHoldAreSpreadOverThem) {
  // 8 data-parallel ranks read what 2 replicas of 4 ranks hold: each reads its own.
  const ActivationLayout copies{2, 4, Channels::all};
  const ActivationLayout data{8, 1, Channels::all};
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    const auto taken = incoming(copies, data, {16, 4}, rank);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].peer, rank);
  }
  // The way back: each of a replica reads one part from each rank, its own among them.
  EXPECT_EQ(incoming(data, copies, {16, 4}, 5).size(), 4U);
}

}  // namespace
}  // namespace adarun::planner
