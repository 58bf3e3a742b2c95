// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/split_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "trainer/models/models.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/passes/passes.h"
#include "trainer/reducers/reducer.h"

namespace adarun::trainer {
namespace {

using planner::LayerKind;
using planner::LayerSplit;
using planner::Strategy;
using Values = std::vector<float>;

constexpr std::uint64_t seed = 7;
constexpr float rate = 0.05F;

/// Images of all ranks in a step, and their parts.
class Images {
 public:
  Images(const ModelShape& shape, std::int64_t count)
      : shape_(shape),
        images_(torch::randn({count, shape.channels, shape.side, shape.side})),
        labels_(torch::randint(shape.classes, {count}, torch::kInt64)) {}

  Batch of(Shard shard) const {
    const std::int64_t size = images_.size(0) / shard.count;
    const torch::Tensor images = images_.narrow(0, size * shard.id, size).contiguous();
    const torch::Tensor labels = labels_.narrow(0, size * shard.id, size).contiguous();
    Batch batch;
    batch.channels = shape_.channels;
    batch.side = shape_.side;
    batch.images.assign(images.data_ptr<float>(), images.data_ptr<float>() + images.numel());
    batch.labels.assign(labels.data_ptr<std::int64_t>(), labels.data_ptr<std::int64_t>() + size);
    return batch;
  }

 private:
  ModelShape shape_;
  torch::Tensor images_;
  torch::Tensor labels_;
};

/// What a training leaves: losses of each rank and step, and weights.
struct Trained {
  std::vector<std::vector<float>> losses;
  std::vector<Values> weights;  // of each rank
};

struct Learning {
  Reduce reduce = Reduce::mean;
  int steps = 1;
};

/// Steps along the gradient; the losses of `pass`, which adds gradients.
std::vector<float> learn(Weights& weights, Reducer& reducer, int steps, const std::function<float()>& pass) {
  std::vector<float> losses;
  for (int step = 0; step < steps; ++step) {
    std::ranges::fill(weights.gradients(), 0.0F);
    losses.push_back(pass());
    EXPECT_FALSE(reducer.reduce());
    for (std::size_t i = 0; i < weights.values().size(); ++i)
      weights.values()[i] -= rate * weights.gradients()[i];
  }
  return losses;
}

/// `ranks` ranks that have the whole model.
Trained train_whole(const Model& model, const Images& images, int ranks, Learning how) {
  Trained trained{std::vector<std::vector<float>>(static_cast<std::size_t>(ranks)),
                  std::vector<Values>(static_cast<std::size_t>(ranks))};
  adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    Weights weights(model, seed);
    const ReduceContext context(world, {ranks == 1 ? Reduce::none : how.reduce, 1});
    const auto reducer = make_reducer(context, weights);
    const Batch batch = images.of({world.rank(), ranks});
    trained.losses[rank] =
        learn(weights, *reducer, how.steps, [&] { return add_gradients(model, weights, batch, {}); });
    trained.weights[rank].assign(weights.values().begin(), weights.values().end());
  });
  return trained;
}

Trained train_split(const Model& model, const Images& images, const std::vector<Strategy>& strategies,
                    Learning how) {
  const int ranks = static_cast<int>(strategies[0].replicas * strategies[0].parts);
  Trained trained{std::vector<std::vector<float>>(static_cast<std::size_t>(ranks)),
                  std::vector<Values>(static_cast<std::size_t>(ranks))};
  adasum::run_ranks(ranks, [&](adasum::Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    SplitRun split(model, strategies, world);
    Weights weights(split.model(), 0);
    split.draw(seed, weights);
    const ReduceContext context(split, {how.reduce, 1});
    const auto reducer = make_reducer(context, weights);
    const Batch batch = images.of(split.shard());
    const PassOptions options{.split = &split};
    trained.losses[rank] = learn(weights, *reducer, how.steps,
                                 [&] { return add_gradients(split.model(), weights, batch, options); });
    trained.weights[rank].assign(weights.values().begin(), weights.values().end());
  });
  return trained;
}

/// The difference between what a rank has of tensors and the same parts of whole ones, as a root of a sum of
/// squares and relative to that of the change by the training: the largest of all tensors.
double difference(const Model& model, const std::vector<Strategy>& strategies, std::size_t rank,
                  std::span<const float> parts, std::span<const float> whole) {
  const Weights first(model, seed);
  std::span<const float> before = first.values();
  double largest = 0;
  for (const TensorShape& tensor : model.parameters) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const TensorPart part = part_of_tensor(model, tensor, strategies, static_cast<std::int64_t>(rank));
    std::size_t own = 1;
    for (const std::int64_t extent : part.shape()) own *= static_cast<std::size_t>(extent);
    Values wanted(own);
    Values at_first(own);
    take_part(whole.first(count), part, wanted);
    take_part(before.first(count), part, at_first);
    double squares = 0;
    double changed = 1e-20;
    for (std::size_t i = 0; i < own; ++i) {
      squares += std::pow(double{parts[i]} - wanted[i], 2);
      changed += std::pow(double{at_first[i]} - wanted[i], 2);
    }
    largest = std::max(largest, std::sqrt(squares / changed));
    parts = parts.subspan(own);
    whole = whole.subspan(count);
    before = before.subspan(count);
  }
  EXPECT_TRUE(parts.empty());
  return largest;
}

/// Every layer on the same mesh: split by outputs, the next by inputs, and so on, where its channels are
/// enough.
std::vector<Strategy> uniform(const Model& model, std::int64_t replicas, std::int64_t parts) {
  std::vector<Strategy> all;
  const auto& layers = model.graph.layers;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    Strategy strategy{replicas, parts, LayerSplit::none};
    const auto allowed = planner::strategies(model.graph, l, replicas * parts);
    const bool after_outputs =
        !layers[l].inputs.empty() && all[layers[l].inputs[0]].split == LayerSplit::outputs;
    const LayerSplit wanted =
        layers[l].kind != LayerKind::sum && after_outputs ? LayerSplit::inputs : LayerSplit::outputs;
    for (const Strategy& each : allowed) {
      if (each.parts == parts && each.split == wanted) strategy = each;
    }
    all.push_back(strategy);
  }
  return all;
}

/// Two residual blocks without a ReLU and without a pool: what a ReLU does to a value near 0, and which of
/// two nearly equal values a pool takes, is up to the last bit.
torch::Tensor smooth(Layers& layers, const torch::Tensor& images, std::int64_t classes) {
  const auto normalized = [&](const std::string& name, const Activation& x, const Convolution& of) {
    return layers.batch_norm(name + ".bn", layers.convolution(name, x, of));
  };
  Activation x = normalized("stem", images, {6, 3, 1, 1, Bias::no});
  x = layers.sum("sum1", normalized("one", x, {6, 3, 1, 1, Bias::no}), x);
  const Activation y = normalized("two", x, {10, 3, 2, 1, Bias::no});
  x = layers.sum("sum2", y, normalized("shortcut", x, {10, 1, 2, 0, Bias::no}));
  return layers.scores("fc", layers.mean_of_pixels(x), classes);
}

struct MeshCase {
  const char* model;
  ModelShape shape;
  int steps = 3;
  // Float sums in another order differ by a few eps, which a step multiplies by how curved the loss is there.
  double tolerance = 2e-4;
  int ranks = 4;
};

Model model_of(const MeshCase& of) {
  if (std::string(of.model) == "smooth") return make_model("smooth", smooth, of.shape);
  return model_named(of.model, of.shape);
}

class SplitMesh : public testing::TestWithParam<MeshCase> {};

// In lenet5 a pool chooses another of two values that are nearly equal, with one of some 50 sets of images
// (off by 2e-3 was seen). In smooth, normalization leaves small gradients of large terms (off by 1e-5 to 5e-3
// with other images). In resnet20 a ReLU or two of 500,000 choose otherwise, which is most for four scales
// with small gradients.
INSTANTIATE_TEST_SUITE_P(
    Of, SplitMesh,
    testing::Values(MeshCase{"mlp", {1, 8, 10}}, MeshCase{"lenet5", {1, 32, 10}, 3, 0.02},
                    MeshCase{"smooth", {3, 8, 10}, 3, 2e-3}, MeshCase{"resnet20", {3, 16, 10}, 1, 0.1},
                    MeshCase{"mlp", {1, 8, 10}, 3, 2e-4, 8}, MeshCase{"lenet5", {1, 32, 10}, 3, 0.02, 8},
                    MeshCase{"smooth", {3, 8, 10}, 3, 2e-3, 8}),
    [](const auto& of) { return of.param.model + std::to_string(of.param.ranks); });

TEST_P(SplitMesh, TrainsAsRanksWithTheWholeModel) {
  const Model model = model_of(GetParam());
  const int steps = GetParam().steps;
  const Images images(GetParam().shape, 32);
  const int ranks = GetParam().ranks;
  double worst = 0;
  for (const Reduce reduce : {Reduce::mean, Reduce::adasum}) {
    for (int replicas = 1; replicas <= ranks; replicas *= 2) {
      const Trained whole = train_whole(model, images, replicas, {reduce, steps});
      const int parts = ranks / replicas;
      const std::vector<Strategy> strategies = uniform(model, replicas, parts);
      const Trained split = train_split(model, images, strategies, {reduce, steps});
      for (std::size_t rank = 0; rank < split.weights.size(); ++rank) {
        SCOPED_TRACE("rank " + std::to_string(rank) + " of " + std::to_string(replicas) + "x" +
                     std::to_string(parts));
        for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step) {
          const float wanted = whole.losses[rank / static_cast<std::size_t>(parts)][step];
          EXPECT_NEAR(split.losses[rank][step], wanted, 2e-5 * wanted);
        }
        const double off = difference(model, strategies, rank, split.weights[rank], whole.weights[0]);
        EXPECT_LT(off, GetParam().tolerance);
        worst = std::max(worst, off);
      }
    }
  }
  std::printf("weights are off by %.1e of what the training changed, at most\n", worst);
}

TEST(SplitRun, TrainsByAnyPlanAsOneRankWithAllImages) {
  std::mt19937 random(3);
  int changes = 0;
  for (const MeshCase& of : {MeshCase{"mlp", {1, 8, 10}}, MeshCase{"lenet5", {1, 32, 10}, 3, 0.02}}) {
    const Model model = model_named(of.model, of.shape);
    const Images images(of.shape, 16);
    const Trained whole = train_whole(model, images, 1, {Reduce::none, of.steps});
    for (int plan = 0; plan < 12; ++plan) {
      std::vector<Strategy> strategies;
      std::string text = of.model;
      for (std::size_t l = 0; l < model.graph.layers.size(); ++l) {
        const auto allowed = planner::strategies(model.graph, l, 4);
        strategies.push_back(allowed[random() % allowed.size()]);
        text += ", " + planner::describe(strategies.back());
        if (l > 0 && strategies[l].parts != strategies[l - 1].parts) ++changes;
      }
      SCOPED_TRACE(text);
      const Trained split = train_split(model, images, strategies, {Reduce::mean, of.steps});
      for (std::size_t rank = 0; rank < 4; ++rank)
        EXPECT_LT(difference(model, strategies, rank, split.weights[rank], whole.weights[0]), of.tolerance);
    }
  }
  EXPECT_GT(changes, 20);
}

}  // namespace
}  // namespace adarun::trainer
