// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/split_run.h"

#include <utility>

#include "adasum/mean.h"
#include "trainer/base/random.h"
#include "trainer/models/initializer.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/exchange.h"
#include "trainer/parallel/tensor_part.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {
namespace {

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
      model_(model_of_rank(whole_, strategies_, world.rank())),
      layers_(whole_.graph, strategies_, groups_) {}

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
