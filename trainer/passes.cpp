// SPDX-License-Identifier: Apache-2.0
#include "trainer/passes.h"

#include <torch/types.h>

#include <algorithm>

#include "trainer/loss.h"

namespace adarun::trainer {
namespace {

// The tensors borrow the batch's memory, which torch only reads.
torch::Tensor images_of(const Batch& batch) {
  return torch::from_blob(const_cast<float*>(batch.images.data()),
                          {static_cast<std::int64_t>(batch.size()), 1, batch.side, batch.side});
}

torch::Tensor labels_of(const Batch& batch) {
  return torch::from_blob(const_cast<std::int64_t*>(batch.labels.data()),
                          {static_cast<std::int64_t>(batch.size())}, torch::kInt64);
}

}  // namespace

float compute_gradients(const Model& model, Weights& weights, const Batch& batch, double label_smoothing) {
  std::ranges::fill(weights.gradients(), 0.0F);
  const torch::Tensor scores = model.forward(weights.tensors(), images_of(batch));
  const torch::Tensor loss = cross_entropy(scores, labels_of(batch), label_smoothing);
  loss.backward();
  return loss.item<float>();
}

std::size_t count_correct(const Model& model, const Weights& weights, const Batch& batch) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor scores = model.forward(weights.tensors(), images_of(batch));
  return static_cast<std::size_t>((scores.argmax(1) == labels_of(batch)).sum().item<std::int64_t>());
}

}  // namespace adarun::trainer
