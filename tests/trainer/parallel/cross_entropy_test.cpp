// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {
namespace {

double slow_cross_entropy(const std::vector<std::vector<double>>& scores, const std::vector<int>& labels,
                          double smoothing) {
  double loss = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0;
    for (const double score : scores[i]) sum += std::exp(score);
    for (std::size_t c = 0; c < scores[i].size(); ++c) {
      const bool right = static_cast<int>(c) == labels[i];
      const double target = right ? 1 - smoothing : smoothing / static_cast<double>(scores[i].size() - 1);
      loss -= target * (scores[i][c] - std::log(sum));
    }
  }
  return loss / static_cast<double>(scores.size());
}

TEST(CrossEntropy, EqualsItsSlowFormula) {
  const std::vector<std::vector<double>> scores = {{0.5, -1, 2, 0}, {3, 1, -2, 0.25}, {0, 0, 0, 0}};
  const std::vector<int> labels = {2, 1, 3};
  torch::Tensor tensor = torch::empty({3, 4});
  for (std::int64_t i = 0; i < 12; ++i) {
    tensor.data_ptr<float>()[i] =
        static_cast<float>(scores[static_cast<std::size_t>(i / 4)][static_cast<std::size_t>(i % 4)]);
  }
  const torch::Tensor targets = torch::tensor({2, 1, 3}, torch::kInt64);
  for (const double smoothing : {0.0, 0.1, 0.5, 1.0}) {
    EXPECT_NEAR(cross_entropy(tensor, targets, smoothing).item<double>(),
                slow_cross_entropy(scores, labels, smoothing), 1e-6)  // float
        << smoothing;
  }
}

TEST(CrossEntropy, HasAGradientThatEqualsFiniteDifferencesInDouble) {
  torch::manual_seed(2);
  const torch::Tensor labels = torch::tensor({2, 0, 5}, torch::kInt64);
  for (const double smoothing : {0.0, 0.1, 0.5}) {
    torch::Tensor scores = torch::randn({3, 6}, torch::kDouble).set_requires_grad(true);
    cross_entropy(scores, labels, smoothing).backward();
    const torch::Tensor gradient = scores.grad();
    scores.set_requires_grad(false);
    for (std::int64_t i = 0; i < scores.numel(); ++i) {
      constexpr double step = 1e-6;
      double& score = scores.data_ptr<double>()[i];
      const double was = score;
      score = was + step;
      const double after = cross_entropy(scores, labels, smoothing).item<double>();
      score = was - step;
      const double before = cross_entropy(scores, labels, smoothing).item<double>();
      score = was;
      EXPECT_NEAR(gradient.data_ptr<double>()[i], (after - before) / (2 * step), 1e-9) << i;
    }
  }
}

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
