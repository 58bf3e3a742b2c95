// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/split_run.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include "adasum/mean.h"
#include "trainer/base/random.h"
#include "trainer/models/initializer.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/exchange.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

RankGroups::RankGroups(adasum::Communicator& world, const planner::ModelGraph& graph,
                       const std::vector<planner::Strategy>& strategies)
    : world_(world) {
  std::set<std::int64_t> parts;
  std::set<std::int64_t> changes;
  const std::int64_t of_images = strategies.front().parts;
  const std::int64_t of_scores = strategies.back().parts;
  changes.insert(std::lcm(of_images, of_scores));  // of labels
  for (std::size_t l = 0; l < strategies.size(); ++l) {
    parts.insert(strategies[l].parts);
    for (const std::size_t input : graph.layers[l].inputs)
      changes.insert(std::lcm(strategies[input].parts, strategies[l].parts));
  }
  // All ranks make the same communicators in the same order.
  changes.insert(parts.begin(), parts.end());
  for (const std::int64_t size : changes) {
    if (size > 1) adjacent_[size] = world.split(static_cast<int>(rank() / size));
  }
  for (const std::int64_t size : parts) {
    if (size > 1) replicas_[size] = world.split(static_cast<int>(rank() % size));
  }
}

namespace {

using planner::LayerKind;
using planner::LayerSplit;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

torch::Tensor unchanged(const torch::Tensor& x) {
  return x;
}

/// A LinearMap in torch's graph, which outlives it.
class AppliedMap : public torch::autograd::Function<AppliedMap> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               const SplitRun::LinearMap* map) {
    context->saved_data["map"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(map));
    const torch::Tensor y = map->forward(x);
    return y.is_same(x) ? x.view_as(x) : y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const std::int64_t map = context->saved_data["map"].toInt();
    return {
        reinterpret_cast<const SplitRun::LinearMap*>(static_cast<std::intptr_t>(map))->backward(gradients[0]),
        torch::Tensor()};
  }
};

torch::Tensor apply(const SplitRun::LinearMap& map, const torch::Tensor& x) {
  return AppliedMap::apply(x, &map);
}

/// Draws whole tensors, one after the other, and takes this rank's part of each.
void draw_parts(const std::vector<TensorShape>& tensors, const Model& model,
                const std::vector<planner::Strategy>& strategies, std::int64_t rank, Random& random,
                std::span<float> values) {
  std::vector<float> whole;
  for (const TensorShape& tensor : tensors) {
    whole.resize(static_cast<std::size_t>(tensor.count()));
    draw(tensor.initial, random, whole);
    const TensorPart part = part_of_tensor(model, tensor, strategies, rank);
    const std::size_t count = part.count();
    take_part(whole, part, values.first(count));
    values = values.subspan(count);
  }
}

}  // namespace

SplitRun::SplitRun(Model whole, std::vector<planner::Strategy> strategies, adasum::Communicator& world)
    : whole_(std::move(whole)),
      strategies_(std::move(strategies)),
      groups_(world, whole_.graph, strategies_),
      model_(model_of_rank(whole_, strategies_, world.rank())) {
  for (std::size_t layer = 0; layer < strategies_.size(); ++layer) {
    const planner::Layer& of = whole_.graph.layers[layer];
    for (const std::size_t source : of.inputs) {
      const LayoutChange change{planner::output_layout(strategies_[source]),
                                planner::input_layout(of, strategies_[layer]),
                                whole_.graph.layers[source].out_channels};
      if (change.from != change.to) changes_[{source, layer}] = change_map(change);
    }
    const std::int64_t parts = strategies_[layer].parts;
    const auto sum_over_parts = [this, parts](const torch::Tensor& x) {
      return sum_over_ranks(x, groups_.adjacent(parts));
    };
    gradient_sums_.push_back({unchanged, sum_over_parts});
    output_sums_.push_back({sum_over_parts, unchanged});
  }
}

SplitRun::LinearMap SplitRun::change_map(const LayoutChange& change) {
  const auto moved = [this](const torch::Tensor& x, const LayoutChange& by) {
    return change_layout(x, by, groups_.rank(), groups_.adjacent(by.ranks()));
  };
  const double scale = static_cast<double>(change.from.replicas) / static_cast<double>(change.to.replicas);
  return {[moved, change](const torch::Tensor& x) { return moved(x, change); },
          [moved, change, scale](const torch::Tensor& gradient) {
            const torch::Tensor back = moved(gradient, change.back());
            return scale == 1 ? back : back * scale;
          }};
}

torch::Tensor SplitRun::input(std::size_t layer, const Activation& x) {
  if (x.layer == Activation::images) return x.values;
  torch::Tensor given = x.values;
  const auto change = changes_.find({x.layer, layer});
  if (change != changes_.end()) given = apply(change->second, given);
  const bool sums_gradients =
      strategies_[layer].split == LayerSplit::outputs && whole_.graph.layers[layer].kind != LayerKind::sum;
  return sums_gradients ? apply(gradient_sums_[layer], given) : given;
}

bool SplitRun::sums(std::size_t layer) const {
  return strategies_[layer].split == LayerSplit::inputs;
}

torch::Tensor SplitRun::sum(const torch::Tensor& output, std::size_t layer) {
  return apply(output_sums_[layer], output);
}

Shard SplitRun::shard() const {
  const planner::Strategy& first = strategies_.front();
  return {static_cast<int>(groups_.rank() / first.parts), static_cast<int>(first.replicas)};
}

void SplitRun::draw(std::uint64_t seed, Weights& weights) const {
  Random random(seed);
  draw_parts(whole_.parameters, whole_, strategies_, groups_.rank(), random, weights.values());
  draw_parts(whole_.buffers, whole_, strategies_, groups_.rank(), random, weights.buffers());
}

void SplitRun::average_buffers(Weights& weights) {
  std::span<float> left = weights.buffers();
  for (std::size_t t = 0; t < whole_.buffers.size(); ++t) {
    const std::span<float> buffer = left.first(static_cast<std::size_t>(model_.buffers[t].count()));
    left = left.subspan(buffer.size());
    adasum::mean(buffer, groups_.replicas(strategies_[whole_.buffers[t].layer].parts));
  }
}

torch::Tensor SplitRun::labels(const torch::Tensor& of_images) {
  const planner::Strategy& first = strategies_.front();
  const planner::Strategy& last = strategies_.back();
  const LayoutChange change{{first.replicas, first.parts}, {last.replicas, last.parts}, 1};
  if (change.from == change.to) return of_images;
  return change_layout(of_images, change, groups_.rank(), groups_.adjacent(change.ranks()));
}

std::optional<ScoreParts> SplitRun::score_parts() {
  const planner::Strategy& last = strategies_.back();
  if (last.split != planner::LayerSplit::outputs) return std::nullopt;
  const std::int64_t classes = whole_.shape.classes;
  return ScoreParts{planner::part_of(classes, last.parts, groups_.rank() % last.parts), classes,
                    groups_.adjacent(last.parts)};
}

torch::Tensor SplitRun::loss(const torch::Tensor& scores, const torch::Tensor& labels, double smoothing) {
  if (const auto parts = score_parts()) return split_cross_entropy(scores, labels, smoothing, *parts);
  return cross_entropy(scores, labels, smoothing);
}

std::int64_t SplitRun::count_correct(const torch::Tensor& scores, const torch::Tensor& labels) {
  const auto parts = score_parts();
  const torch::Tensor best = parts ? best_class(scores, *parts) : scores.argmax(1);
  if (groups_.rank() % strategies_.back().parts != 0) return 0;
  return (best == labels).sum().item<std::int64_t>();
}

}  // namespace adarun::trainer
