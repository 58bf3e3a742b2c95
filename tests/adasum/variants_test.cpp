// SPDX-License-Identifier: Apache-2.0
#include "adasum/variants.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "adasum/error.h"
#include "adasum/peers/thread_peers.h"

namespace adasum {
namespace {

// v = mu v + g; w = w - lr v
struct Momentum {
  std::vector<double> velocity = std::vector<double>(3);

  void step(std::vector<double>& weights, const std::vector<double>& gradient) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      velocity[i] = 0.9 * velocity[i] + gradient[i];
      weights[i] -= 0.1 * velocity[i];
    }
  }
};

TEST(DeltaWeight, GivesTheGoldenValuesWithMomentum) {
  run_ranks(2, [](Peers& peers) {
    const std::vector<double> gradient = {peers.rank() == 0 ? 1.0 : 0.0, peers.rank() == 0 ? 0.0 : 1.0, 2};
    const std::vector<std::vector<double>> golden = {{0.94, 1.94, 2.76}, {0.826, 1.826, 2.304}};
    const std::vector<std::int64_t> counts = {3};
    std::vector<double> weights = {1, 2, 3};
    Momentum optimizer;
    Engine engine(peers);
    for (const auto& wanted : golden) {
      const std::vector<double> before = weights;
      optimizer.step(weights, gradient);
      combine_delta<double>(before, weights, counts, engine);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], wanted[i], 1e-14);
    }
  });
}

TEST(DeltaWeight, RefusesWeightsOfAnotherSize) {
  run_ranks(1, [](Peers& peers) {
    const std::vector<float> before(4);
    std::vector<float> weights(3);
    const std::vector<std::int64_t> counts = {3};
    Engine engine(peers);
    EXPECT_THROW(combine_delta<float>(before, weights, counts, engine), Error);
  });
}

}  // namespace
}  // namespace adasum
