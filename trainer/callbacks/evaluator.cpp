// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/evaluator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "adasum/mean.h"
#include "trainer/base/log_lines.h"
#include "trainer/data/loader.h"
#include "trainer/data/shard.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {
namespace {

/// `number`, rounded up.
std::size_t multiple_of(std::size_t factor, std::size_t number) {
  return (number + factor - 1) / factor * factor;
}

/// Values of an image in the tensors of the largest layer: what it takes, what it gives, and what a
/// normalization or an activation makes of that.
std::int64_t largest_values(const planner::ModelGraph& graph) {
  std::int64_t largest = 1;
  for (std::size_t l = 0; l < graph.layers.size(); ++l) {
    const std::int64_t in = graph.in_channels(l) * graph.in_values(l);
    const std::int64_t out = graph.layers[l].out_channels * graph.layers[l].out_values;
    largest = std::max(largest, in + 2 * out);
  }
  return largest;
}

}  // namespace

std::size_t images_at_once(const Model& model, std::size_t of_pass) {
  const std::size_t most = Evaluation{}.images;
  constexpr std::size_t most_values = 256'000'000 / sizeof(float);
  const auto fitting = most_values / static_cast<std::size_t>(largest_values(model.graph));
  return std::clamp(fitting, std::min(of_pass, most), most);
}

double accuracy(const Model& model, Weights& weights, const Dataset& dataset,
                adasum::Communicator& communicator, const Evaluation& how) {
  if (how.statistics == Statistics::mean && !model.buffers.empty())
    adasum::mean(weights.buffers(), communicator);
  std::vector<std::uint32_t> indices = test_shard(dataset.size(), {communicator.rank(), communicator.size()});
  const std::size_t own = indices.size();
  const std::size_t most = samples_per_shard(dataset.size(), communicator.size());
  TestBatches batches(dataset, std::move(indices), own, {how.images, model.shape.side, how.workers});
  std::size_t correct = 0;
  for (std::size_t begin = 0; begin < most; begin += how.images) {
    if (begin < own) correct += count_correct(model, weights, batches.next());
    how.after_batch();
  }
  std::array<double, 2> counts = {static_cast<double>(correct), static_cast<double>(own)};
  communicator.sum(std::span<double>(counts));
  return counts[0] / counts[1];
}

double accuracy(SplitRun& split, Weights& weights, const Dataset& dataset, const Evaluation& how) {
  split.average_buffers(weights);
  const Shard shard = split.shard();
  const auto image_ranks = static_cast<std::size_t>(split.image_ranks());
  std::vector<std::uint32_t> indices = test_shard(dataset.size(), shard);
  const std::size_t own = indices.size();
  // As many in each shard, and all of them a multiple of the number of ranks.
  indices.resize(multiple_of(image_ranks, samples_per_shard(dataset.size(), shard.count)), 0);
  TestBatches batches(dataset, std::move(indices), own,
                      {multiple_of(image_ranks, how.images), split.model().shape.side, how.workers});
  std::size_t correct = 0;
  for (int batch = 0; batch < batches.count(); ++batch) {
    correct += count_correct(split.model(), weights, batches.next(), &split);
    how.after_batch();
  }
  std::array<double, 1> sum = {static_cast<double>(correct)};
  split.groups().world().sum(std::span<double>(sum));
  return sum[0] / static_cast<double>(dataset.size());
}

/// A training that is resumed at `at` measures again only where that is the end of an epoch. The statistics
/// that it then averages are those before this measurement.
double Evaluator::measure(const Progress& at, AfterResume after_resume) {
  const std::span<float> statistics = of_.weights.buffers();
  const std::vector<float> before(statistics.begin(), statistics.end());
  Evaluation how = how_;
  how.after_batch = [&] {
    if (checkpointer_ == nullptr || !checkpointer_->is_to_stop()) return;
    if (after_resume == AfterResume::is_repeated) std::ranges::copy(before, statistics.begin());
    checkpointer_->stop(at);
  };
  if (of_.split != nullptr) return trainer::accuracy(*of_.split, of_.weights, of_.dataset, how);
  return trainer::accuracy(of_.model, of_.weights, of_.dataset, of_.communicator, how);
}

void Evaluator::step_end(const Progress& progress) {
  if (steps_ > 0 && progress.step % steps_ == 0) due_ = true;
  if (!due_ || !is_together_()) return;
  due_ = false;
  print_(eval_line(progress.epoch, progress.step, measure(progress, AfterResume::is_not)));
}

void Evaluator::epoch_end(const Progress& last) {
  accuracy_ = measure(last, AfterResume::is_repeated);
  print_(eval_line(last.epoch, *accuracy_));
}

double Evaluator::accuracy() {
  if (!accuracy_) accuracy_ = measure({}, AfterResume::is_repeated);
  return *accuracy_;
}

}  // namespace adarun::trainer
