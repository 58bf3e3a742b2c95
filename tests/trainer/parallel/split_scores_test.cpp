// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/split_scores.h"

#include <gtest/gtest.h>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/losses/cross_entropy.h"
#include "trainer/planner/model/range.h"

namespace adarun::trainer {
namespace {

constexpr std::int64_t samples = 9;
constexpr std::int64_t classes = 11;

/// Calls check(scores of this rank, their classes, communicator) on each of `ranks` ranks.
template <typename Check>
void on_ranks(int ranks, const torch::Tensor& scores, const Check& check) {
  adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
    const planner::IndexRange range = planner::part_of(classes, ranks, world.rank());
    check(scores.narrow(1, range.begin, range.size()).clone(), ScoreParts{range, classes, world});
  });
}

TEST(SplitCrossEntropy, IsTheLossOfAllScoresAndItsGradient) {
  // Large scores, whose exponentials a float cannot hold.
  const torch::Tensor scores = 50 * torch::randn({samples, classes}) + 1000;
  const torch::Tensor labels = torch::randint(classes, {samples}, torch::kInt64);
  for (const double smoothing : {0.0, 0.1}) {
    const torch::Tensor whole = scores.to(torch::kDouble).requires_grad_();
    const torch::Tensor wanted = cross_entropy(whole, labels, smoothing);
    (2 * wanted).backward();
    for (const int ranks : {1, 2, 4, 11}) {
      on_ranks(ranks, scores, [&](const torch::Tensor& part, const ScoreParts& of) {
        const torch::Tensor leaf = part.requires_grad_();
        const torch::Tensor loss = split_cross_entropy(leaf, labels, smoothing, of);
        (2 * loss).backward();
        // Scores around 1000 are known to 6e-5, and so are their differences.
        EXPECT_NEAR(loss.item<double>(), wanted.item<double>(), 1e-4 * wanted.item<double>());
        const torch::Tensor gradient = whole.grad().narrow(1, of.classes.begin, of.classes.size());
        EXPECT_TRUE(torch::allclose(leaf.grad().to(torch::kDouble), gradient, 1e-3, 1e-5));
      });
    }
  }
}

TEST(BestClass, IsTheFirstWithTheHighestScoreOfAll) {
  torch::Tensor scores = torch::randn({samples, classes});
  scores[0][3] = scores[0][8] = 100;
  const torch::Tensor wanted = scores.argmax(1);
  EXPECT_EQ(wanted[0].item<std::int64_t>(), 3);
  for (const int ranks : {1, 2, 4, 11}) {
    on_ranks(ranks, scores, [&](const torch::Tensor& part, const ScoreParts& of) {
      EXPECT_TRUE(torch::equal(best_class(part, of), wanted));
    });
  }
}

}  // namespace
}  // namespace adarun::trainer
