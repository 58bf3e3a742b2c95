// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "planner/plan/plan.h"
#include "tests/trainer/parallel/counting_communicator.h"
#include "trainer/models/models.h"
#include "trainer/parallel/split_run.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

using planner::LayerSplit;
using planner::Strategy;

constexpr int world_ranks = 4;
constexpr int samples_of_rank = 4;
const ModelShape shape{4, 8, 8};

/// Layers of all kinds, whose channels four ranks share evenly.
torch::Tensor even_layers(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  const Activation x = layers.batch_norm("bn", layers.convolution("stem", images, {8, 3, 1, 1, Bias::no}));
  const Activation y = layers.sum("sum", layers.convolution("one", x, {8, 3, 1, 1, Bias::yes}), x);
  const Activation hidden = layers.dense("fc1", layers.flatten(layers.max_pool_2x2(y)), 16);
  return layers.scores("fc2", layers.relu(hidden), classes);
}

Batch images_of(std::int64_t count) {
  Batch batch;
  batch.channels = shape.channels;
  batch.side = shape.side;
  batch.images.assign(static_cast<std::size_t>(count * shape.channels * shape.side * shape.side), 0.5F);
  batch.labels.assign(static_cast<std::size_t>(count), 1);
  return batch;
}

/// What the plan says that the rank with most receives for layers in a step.
Received planned(const planner::ParallelPlan& plan) {
  Received sum;
  for (const planner::PlannedLayer& layer : plan.layers) {
    for (const planner::Communication& part : {layer.cost.outputs, layer.cost.inputs, layer.change}) {
      sum.messages += part.traffic.messages();
      sum.bytes += static_cast<std::int64_t>(part.traffic.bytes());
    }
  }
  return sum;
}

/// What this rank receives for layers in a step: without labels, which follow the first layer's images.
Received received_in_a_step(const Model& model, const std::vector<Strategy>& strategies,
                            adasum::Communicator& threads) {
  CountingCommunicator world(threads);
  SplitRun split(model, strategies, world);
  Weights weights(split.model(), 0);
  split.draw(1, weights);
  const Batch batch = images_of(samples_of_rank * split.image_ranks());
  const Received before = world.received();
  split.labels(torch::zeros({static_cast<std::int64_t>(batch.labels.size())}, torch::kInt64));
  const Received labels{world.received().messages - before.messages, world.received().bytes - before.bytes};
  const Received begin = world.received();
  add_gradients(split.model(), weights, batch, {.split = &split});
  return {world.received().messages - begin.messages - labels.messages,
          world.received().bytes - begin.bytes - labels.bytes};
}

TEST(PlannedTraffic, IsThatOfTheRankWithMost) {
  const Model model = make_model("even", even_layers, shape);
  const planner::ClusterSetting setting{
      .ranks = world_ranks, .batch = samples_of_rank, .links = {{"all", world_ranks, 1e-6, 1e-9, 1}}};
  std::mt19937 random(5);
  int with_messages = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<Strategy> strategies;
    std::string text;
    for (std::size_t l = 0; l < model.graph.layers.size(); ++l) {
      const auto allowed = planner::strategies(model.graph, l, world_ranks);
      strategies.push_back(allowed[random() % allowed.size()]);
      text += planner::describe(strategies.back()) + ", ";
    }
    // Scores that are split have messages of their own, which are a few bytes a sample and not planned.
    if (strategies.back().split == LayerSplit::outputs) continue;
    SCOPED_TRACE(text);
    const Received wanted = planned(planner::plan_of(model.graph, setting, strategies));
    std::vector<Received> found(world_ranks);
    adasum::run_ranks(world_ranks, [&](adasum::Communicator& threads) {
      found[static_cast<std::size_t>(threads.rank())] = received_in_a_step(model, strategies, threads);
    });
    EXPECT_EQ(std::ranges::max(found, {}, &Received::messages).messages, wanted.messages);
    EXPECT_EQ(std::ranges::max(found, {}, &Received::bytes).bytes, wanted.bytes);
    if (wanted.messages > 0) ++with_messages;
  }
  EXPECT_GT(with_messages, 20);
}

}  // namespace
}  // namespace adarun::trainer
