// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/max_pool.h"

#include <gtest/gtest.h>

#include <limits>

namespace adarun::trainer {
namespace {

/// Values and gradients of both implementations for `x`.
void expect_torchs(torch::Tensor x) {
  x.set_requires_grad(true);
  const torch::Tensor wanted = torch::max_pool2d(x, 2);
  const torch::Tensor weights = torch::randn_like(wanted);
  (wanted * weights).sum().backward();
  const torch::Tensor wanted_gradient = x.grad().clone();
  x.mutable_grad() = torch::Tensor();
  const torch::Tensor got = max_pool_2x2(x);
  (got * weights).sum().backward();
  EXPECT_TRUE(got.equal(wanted));
  EXPECT_TRUE(x.grad().equal(wanted_gradient));
}

TEST(MaxPool2x2, IsTorchsPoolingToTheBit) {
  torch::manual_seed(1);
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    expect_torchs(torch::randn({3, 2, 8, 6}, type));
    for (const std::int64_t columns : {7, 8, 9, 10, 13, 28})
      expect_torchs(torch::randn({2, 1, 5, columns}, type));
    expect_torchs(torch::randint(0, 2, {2, 3, 10, 10}, type));
    expect_torchs(torch::randint(0, 2, {4, 3, 6, 6}, type));  // ties
    expect_torchs(torch::randn({2, 2, 6, 4}, type).transpose(2, 3).detach());
  }
}

TEST(MaxPool2x2, TakesNaNForTheLargest) {
  for (const std::int64_t columns : {4, 8}) {  // One window at a time, and several.
    torch::Tensor x = torch::randn({1, 1, 4, columns});
    x[0][0][1][0] = std::numeric_limits<float>::quiet_NaN();
    const torch::Tensor got = max_pool_2x2(x);
    EXPECT_TRUE(got[0][0][0][0].isnan().item<bool>());
    EXPECT_FALSE(got[0][0][1][1].isnan().item<bool>());
  }
}

TEST(MaxPool2x2, ComesBeforeReluAsWellAsAfterIt) {
  torch::manual_seed(2);
  torch::Tensor x = torch::randn({2, 3, 8, 8}).set_requires_grad(true);
  torch::max_pool2d(torch::relu(x), 2).square().sum().backward();
  const torch::Tensor wanted = x.grad().clone();
  x.mutable_grad() = torch::Tensor();
  torch::relu(max_pool_2x2(x)).square().sum().backward();
  EXPECT_TRUE(x.grad().equal(wanted));
}

}  // namespace
}  // namespace adarun::trainer
