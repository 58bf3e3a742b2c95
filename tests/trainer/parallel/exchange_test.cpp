// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/exchange.h"

#include <gtest/gtest.h>

#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/planner/model/transfers.h"

namespace adarun::trainer {
namespace {

using planner::ActivationLayout;
using planner::Channels;

constexpr std::int64_t ranks = 4;

std::vector<ActivationLayout> layouts() {
  std::vector<ActivationLayout> all;
  for (const std::int64_t parts : {1, 2, 4}) {
    for (const Channels channels : {Channels::all, Channels::part})
      all.push_back({ranks / parts, parts, channels});
  }
  return all;
}

/// What `rank` holds of `whole` (samples, channels * n, ...).
torch::Tensor part(const torch::Tensor& whole, const ActivationLayout& layout, std::int64_t channels,
                   std::int64_t rank) {
  const planner::TensorBlock block = planner::held(layout, {whole.size(0), channels}, rank);
  const std::int64_t each = whole.size(1) / channels;
  return whole.narrow(0, block.samples.begin, block.samples.size())
      .narrow(1, block.channels.begin * each, block.channels.size() * each);
}

TEST(ChangeLayout, GivesEachRankWhatItHoldsAfterwards) {
  const std::vector<torch::Tensor> wholes = {torch::randn({8, 6, 3, 2}), torch::randn({8, 6 * 5}),
                                             torch::randint(100, {8, 6}, torch::kInt64)};
  adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
    for (const ActivationLayout& from : layouts()) {
      for (const ActivationLayout& to : layouts()) {
        const LayoutChange change{from, to, 6};
        if (from == to) continue;
        const auto group = world.split(static_cast<int>(world.rank() / change.ranks()));
        for (const torch::Tensor& whole : wholes) {
          const torch::Tensor changed =
              change_layout(part(whole, from, 6, world.rank()), change, world.rank(), *group);
          EXPECT_TRUE(torch::equal(changed, part(whole, to, 6, world.rank())));
        }
      }
    }
  });
}

TEST(ChangeLayout, TakesOneNumberOfEachSample) {
  const torch::Tensor labels = torch::arange(8);
  adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
    const LayoutChange change{{4, 1}, {1, 4}, 1};
    const torch::Tensor all =
        change_layout(labels.narrow(0, 2 * world.rank(), 2), change, world.rank(), world);
    EXPECT_TRUE(torch::equal(all, labels));
  });
}

TEST(SumOverRanks, GivesTheSameBitsOnEachRank) {
  for (const std::int64_t count : {1, 3, 8, 1001}) {
    const torch::Tensor values = torch::randn({ranks, count});
    torch::Tensor sum = torch::zeros({count}, torch::kDouble);
    for (std::int64_t rank = 0; rank < ranks; ++rank) sum += values[rank];
    adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
      EXPECT_TRUE(torch::equal(sum_over_ranks(values[world.rank()], world), sum.to(torch::kFloat)));
    });
  }
}

}  // namespace
}  // namespace adarun::trainer
