// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/engine.h"
#include "adasum/plan.h"
#include "adasum/types/layout.h"
#include "tests/adasum/counting_communicator.h"
#include "trainer/models/models.h"
#include "trainer/models/weights.h"
#include "trainer/parallel/split_run.h"
#include "trainer/passes/passes.h"
#include "trainer/planner/plan/plan.h"

namespace adarun::trainer {
namespace {

using adasum::Received;
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
Received received_in_a_step(const Model& model, const std::vector<Strategy>& strategies, int passes,
                            adasum::Communicator& threads) {
  adasum::Traffic traffic;
  adasum::CountingCommunicator world(threads, traffic);
  SplitRun split(model, strategies, world);
  Weights weights(split.model(), 0);
  split.draw(1, weights);
  const Batch batch = images_of(samples_of_rank * split.image_ranks());
  const Received before = traffic.received;
  for (int pass = 0; pass < passes; ++pass)
    split.labels(torch::zeros({static_cast<std::int64_t>(batch.labels.size()) / passes}, torch::kInt64));
  const Received labels{traffic.received.messages - before.messages, traffic.received.bytes - before.bytes};
  const Received begin = traffic.received;
  add_gradients(split.model(), weights, batch, {.micro_batches = passes, .split = &split});
  return {traffic.received.messages - begin.messages - labels.messages,
          traffic.received.bytes - begin.bytes - labels.bytes};
}

TEST(PlannedTraffic, IsThatOfTheRankWithMost) {
  const Model model = make_model("even", even_layers, shape);
  planner::ClusterSetting setting{
      .ranks = world_ranks, .batch = samples_of_rank, .links = {{"all", world_ranks, 1e-6, 1e-9, 1}}};
  std::mt19937 random(5);
  int with_messages = 0;
  for (int i = 0; i < 60; ++i) {
    setting.passes = 1 + i % 2;
    std::vector<Strategy> strategies;
    std::string text = std::to_string(setting.passes) + " passes, ";
    for (std::size_t l = 0; l < model.graph.layers.size(); ++l) {
      const auto allowed = planner::strategies(model.graph, l, world_ranks);
      strategies.push_back(allowed[random() % allowed.size()]);
      text += planner::describe(strategies.back()) + ", ";
    }
    SCOPED_TRACE(text);
    const Received wanted = planned(planner::plan_of(model.graph, setting, strategies));
    std::vector<Received> found(world_ranks);
    adasum::run_ranks(world_ranks, [&](adasum::Communicator& threads) {
      found[static_cast<std::size_t>(threads.rank())] =
          received_in_a_step(model, strategies, static_cast<int>(setting.passes), threads);
    });
    EXPECT_EQ(std::ranges::max(found, {}, &Received::messages).messages, wanted.messages);
    EXPECT_EQ(std::ranges::max(found, {}, &Received::bytes).bytes, wanted.bytes);
    if (wanted.messages > 0) ++with_messages;
  }
  EXPECT_GT(with_messages, 20);
}

// The plan adds up layers, and the engine combines their tensors together: with the same bytes, but in fewer
// messages. It also sends three dot products of each tensor, and a byte of each rank (whether its values are
// finite), which the plan does not know.
TEST(PlannedTraffic, OfGradientsIsThatOfTheEngineWithoutDotProducts) {
  const Model model = make_model("even", even_layers, shape);
  for (const int ranks : {2, 4, 8}) {
    SCOPED_TRACE(ranks);
    const planner::ClusterSetting setting{.ranks = ranks, .links = {{"all", ranks, 1e-6, 1e-9, 1}}};
    double wanted = 0;
    for (const planner::PlannedLayer& layer : planner::data_parallel(model.graph, setting).layers)
      wanted += layer.cost.gradients.traffic.bytes();
    const int levels = std::bit_width(static_cast<unsigned>(ranks)) - 1;
    const std::size_t dots = 3 * sizeof(double) * model.parameters.size();
    adasum::run_ranks(ranks, [&](adasum::Communicator& threads) {
      adasum::Traffic traffic;
      adasum::CountingCommunicator world(threads, traffic);
      adasum::Engine engine(world, {.algorithm = adasum::Algorithm::tree});
      Weights weights(model, 1);
      adasum::Plan<float> plan(engine, adasum::tensors_of(weights.gradients(), weights.counts()));
      const Received before = traffic.received;
      EXPECT_FALSE(plan.run());
      const std::int64_t dot_messages = levels * (levels + 1) / 2;
      EXPECT_EQ(traffic.received.messages - before.messages, 2 * levels + dot_messages + ranks - 1);
      EXPECT_EQ(
          traffic.received.bytes - before.bytes,
          static_cast<std::int64_t>(wanted) + dot_messages * static_cast<std::int64_t>(dots) + ranks - 1);
    });
  }
}

}  // namespace
}  // namespace adarun::trainer
