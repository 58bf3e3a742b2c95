// SPDX-License-Identifier: Apache-2.0
#include "trainer/passes/passes.h"

#include <ATen/autocast_mode.h>
#include <torch/types.h>

#include "trainer/parallel/cross_entropy.h"

namespace adarun::trainer {
namespace {

void switch_on(c10::DeviceType device, bool on) {
  if (device == c10::DeviceType::CPU) {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  } else {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  }
}

/// While this object exists, this thread computes convolutions and matrix products in `precision` (torch's
/// autocast), and the operations that use their results too: with bfloat16, weights and inputs are rounded to
/// it first. A backward pass uses the types of its forward pass, and produces float gradients of the weights.
class Autocast {
 public:
  /// For tensors on devices of this type.
  Autocast(Precision precision, c10::DeviceType device)
      : is_on_(precision == Precision::bfloat16), device_(device) {
    if (!is_on_) return;
    at::autocast::increment_nesting();
    switch_on(device_, true);
  }
  ~Autocast() {
    if (!is_on_) return;
    switch_on(device_, false);
    // Torch caches the rounded weights, but the weights change before the next pass.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool is_on_;
  c10::DeviceType device_;
};

// The tensors borrow the batch's memory; torch only reads it.
torch::Tensor images_of(const Batch& batch) {
  return torch::from_blob(const_cast<float*>(batch.images.data()),
                          {static_cast<std::int64_t>(batch.size()), batch.channels, batch.side, batch.side});
}

torch::Tensor labels_of(const Batch& batch) {
  return torch::from_blob(const_cast<std::int64_t*>(batch.labels.data()),
                          {static_cast<std::int64_t>(batch.size())}, torch::kInt64);
}

/// How batch normalization computes: with the statistics of the batch, which the running ones follow if the
/// pass is one that learns; or with the running ones.
enum class PassMode { learning, trying, measuring };

/// The tensors of the running statistics that a pass changes: copies if it only tries.
std::vector<torch::Tensor> buffers_for(const Weights& weights, PassMode mode) {
  std::vector<torch::Tensor> buffers(weights.buffer_tensors().begin(), weights.buffer_tensors().end());
  if (mode != PassMode::trying) return buffers;
  for (torch::Tensor& buffer : buffers) buffer = buffer.clone();
  return buffers;
}

torch::Tensor scores_of(const Model& model, const Weights& weights, const torch::Tensor& images,
                        PassMode mode, SplitRun* split, Precision precision = Precision::float32) {
  const Autocast autocast(precision, weights.device().type());
  const std::vector<torch::Tensor> buffers = buffers_for(weights, mode);
  LayerBoundary* const boundary = split == nullptr ? nullptr : &split->boundary();
  Layers layers(weights.tensors(), buffers, mode != PassMode::measuring, model.layers, boundary);
  return model.forward(layers, images, model.shape.classes).to(torch::kFloat);
}

/// Calls visit(loss of a part) for each of options.micro_batches equal parts of a batch.
template <typename Visit>
void for_each_part(const Model& model, const Weights& weights, const Batch& batch, const PassOptions& options,
                   PassMode mode, const Visit& visit) {
  const auto images = images_of(batch).to(weights.device()).chunk(options.micro_batches);
  const auto labels = labels_of(batch).to(weights.device()).chunk(options.micro_batches);
  SplitRun* const split = options.split;
  for (std::size_t part = 0; part < images.size(); ++part) {
    const torch::Tensor scores = scores_of(model, weights, images[part], mode, split, options.precision);
    visit(split == nullptr ? cross_entropy(scores, labels[part], options.label_smoothing)
                           : split->loss(scores, split->labels(labels[part]), options.label_smoothing));
  }
}

}  // namespace

float add_gradients(const Model& model, Weights& weights, const Batch& batch, const PassOptions& options,
                    double scale) {
  weights.to_device();
  double sum = 0;
  for_each_part(model, weights, batch, options, PassMode::learning, [&](const torch::Tensor& loss) {
    const double factor = scale / options.micro_batches;
    (factor == 1 ? loss : loss * factor).backward();
    sum += loss.item<double>();
  });
  weights.from_device();
  return static_cast<float>(sum / options.micro_batches);
}

double loss_of(const Model& model, const Weights& weights, const Batch& batch, const PassOptions& options) {
  const torch::NoGradGuard no_gradients;
  weights.to_device();
  double sum = 0;
  for_each_part(model, weights, batch, options, PassMode::trying,
                [&](const torch::Tensor& loss) { sum += loss.item<double>(); });
  return sum / options.micro_batches;
}

std::size_t count_correct(const Model& model, const Weights& weights, const Batch& batch, SplitRun* split) {
  const torch::NoGradGuard no_gradients;
  weights.to_device();
  const torch::Tensor images = images_of(batch).to(weights.device());
  const torch::Tensor scores = scores_of(model, weights, images, PassMode::measuring, split);
  if (split != nullptr)
    return static_cast<std::size_t>(split->count_correct(scores, split->labels(labels_of(batch))));
  return static_cast<std::size_t>((scores.argmax(1).cpu() == labels_of(batch)).sum().item<std::int64_t>());
}

}  // namespace adarun::trainer
