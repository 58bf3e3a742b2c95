// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/evaluator.h"

#include <algorithm>
#include <array>
#include <span>

#include "adasum/mean.h"
#include "trainer/base/log_lines.h"
#include "trainer/passes/passes.h"

namespace adarun::trainer {

double accuracy(const Model& model, Weights& weights, const Dataset& dataset,
                adasum::Communicator& communicator) {
  constexpr std::size_t batch_size = 256;
  if (!model.buffers.empty()) adasum::mean(weights.buffers(), communicator);
  const std::vector<std::uint32_t> indices =
      test_shard(dataset.size(), {communicator.rank(), communicator.size()});
  std::size_t correct = 0;
  Batch batch;
  for (std::size_t begin = 0; begin < indices.size(); begin += batch_size) {
    const std::size_t size = std::min(batch_size, indices.size() - begin);
    fill(batch, dataset, std::span(indices).subspan(begin, size), model.shape.side);
    correct += count_correct(model, weights, batch);
  }
  std::array<double, 2> counts = {static_cast<double>(correct), static_cast<double>(indices.size())};
  communicator.sum(std::span<double>(counts));
  return counts[0] / counts[1];
}

double accuracy(SplitRun& split, Weights& weights, const Dataset& dataset) {
  constexpr std::size_t batch_size = 256;
  constexpr std::int64_t no_class = -1;  // of samples that make shards equally long
  split.average_buffers(weights);
  const Shard shard = split.shard();
  std::vector<std::uint32_t> indices = test_shard(dataset.size(), shard);
  const std::size_t own = indices.size();
  indices.resize(samples_per_shard(dataset.size(), shard.count), 0);
  std::size_t correct = 0;
  Batch batch;
  for (std::size_t begin = 0; begin < indices.size(); begin += batch_size) {
    const std::size_t size = std::min(batch_size, indices.size() - begin);
    fill(batch, dataset, std::span(indices).subspan(begin, size), split.model().shape.side);
    for (std::size_t i = 0; i < size; ++i) {
      if (begin + i >= own) batch.labels[i] = no_class;
    }
    correct += count_correct(split.model(), weights, batch, &split);
  }
  std::array<double, 1> sum = {static_cast<double>(correct)};
  split.groups().world().sum(std::span<double>(sum));
  return sum[0] / static_cast<double>(dataset.size());
}

double Evaluator::measure() {
  if (split_ != nullptr) return trainer::accuracy(*split_, weights_, dataset_);
  return trainer::accuracy(model_, weights_, dataset_, communicator_);
}

void Evaluator::step_end(const Progress& progress) {
  if (steps_ == 0 || progress.step % steps_ != 0) return;
  print_(eval_line(progress.epoch, progress.step, measure()));
}

void Evaluator::epoch_end(const Progress& last) {
  accuracy_ = measure();
  print_(eval_line(last.epoch, *accuracy_));
}

double Evaluator::accuracy() {
  if (!accuracy_) accuracy_ = measure();
  return *accuracy_;
}

}  // namespace adarun::trainer
