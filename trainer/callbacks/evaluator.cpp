// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/evaluator.h"

#include <algorithm>
#include <array>
#include <span>

#include "adasum/mean.h"
#include "trainer/base/log_lines.h"
#include "trainer/models/passes.h"

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

void Evaluator::step_end(const Progress& progress) {
  if (steps_ == 0 || progress.step % steps_ != 0) return;
  print_(
      eval_line(progress.epoch, progress.step, trainer::accuracy(model_, weights_, dataset_, communicator_)));
}

void Evaluator::epoch_end(const Progress& last) {
  accuracy_ = trainer::accuracy(model_, weights_, dataset_, communicator_);
  print_(eval_line(last.epoch, *accuracy_));
}

double Evaluator::accuracy() {
  if (!accuracy_) accuracy_ = trainer::accuracy(model_, weights_, dataset_, communicator_);
  return *accuracy_;
}

}  // namespace adarun::trainer
