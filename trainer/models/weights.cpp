// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/weights.h"

#include <numeric>

#include "trainer/base/fnv1a.h"
#include "trainer/base/random.h"

namespace adarun::trainer {
namespace {

torch::Tensor make_flat(const std::vector<TensorShape>& tensors, const Weights::Allocate& allocate,
                        std::optional<torch::Device> device) {
  std::int64_t total = 0;
  for (const TensorShape& tensor : tensors) total += tensor.count();
  // Pinned memory is what a GPU copies from and to without help of the CPU.
  if (!allocate)
    return torch::zeros({total}, torch::TensorOptions().pinned_memory(device && device->is_cuda()));
  return torch::from_blob(allocate(static_cast<std::size_t>(total)).data(), {total});
}

/// Views of `flat` with these shapes, one after the other, on the same memory.
std::vector<torch::Tensor> pieces(const torch::Tensor& flat, const std::vector<TensorShape>& tensors) {
  std::vector<torch::Tensor> result;
  std::int64_t offset = 0;
  for (const TensorShape& tensor : tensors) {
    // detach() makes it a leaf.
    result.push_back(flat.narrow(0, offset, tensor.count()).view(tensor.shape).detach());
    offset += tensor.count();
  }
  return result;
}

void draw_all(const std::vector<TensorShape>& shapes, const std::vector<torch::Tensor>& tensors,
              Random& random) {
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    draw(shapes[t].initial, random,
         {tensors[t].data_ptr<float>(), static_cast<std::size_t>(tensors[t].numel())});
  }
}

}  // namespace

Weights::Weights(const Model& model, std::uint64_t seed, const Allocate& values, const Allocate& gradients,
                 std::optional<torch::Device> device)
    : own_{make_flat(model.parameters, values, device), make_flat(model.parameters, gradients, device),
           make_flat(model.buffers, {}, device)},
      computed_(own_) {
  Random random(seed);
  draw_all(model.parameters, pieces(own_.values, model.parameters), random);
  draw_all(model.buffers, pieces(own_.buffers, model.buffers), random);
  if (device) {
    const auto copy = [&](const torch::Tensor& own) { return torch::empty_like(own, *device); };
    computed_ = {copy(own_.values), copy(own_.gradients), copy(own_.buffers)};
    to_device();
  }
  tensors_ = pieces(computed_.values, model.parameters);
  buffer_tensors_ = pieces(computed_.buffers, model.buffers);
  const std::vector<torch::Tensor> gradient_tensors = pieces(computed_.gradients, model.parameters);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    counts_.push_back(tensors_[t].numel());
    // If a gradient exists, torch adds to it in place.
    tensors_[t].set_requires_grad(true);
    tensors_[t].mutable_grad() = gradient_tensors[t];
  }
}

TensorSpan Weights::from(std::size_t first, std::span<float> all) const {
  const auto begin =
      std::accumulate(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(first), std::int64_t{0});
  return {all.subspan(static_cast<std::size_t>(begin)), counts().subspan(first)};
}

std::vector<std::int64_t> Weights::row_counts(std::size_t first) const {
  std::vector<std::int64_t> counts;
  for (std::size_t t = first; t < tensors_.size(); ++t) {
    const std::int64_t rows = tensors_[t].dim() >= 2 ? tensors_[t].size(0) : 1;
    counts.insert(counts.end(), static_cast<std::size_t>(rows), tensors_[t].numel() / rows);
  }
  return counts;
}

void Weights::freeze_before(std::size_t first) {
  for (std::size_t t = 0; t < tensors_.size(); ++t) tensors_[t].set_requires_grad(t >= first);
}

void Weights::to_device() const {
  if (!are_copies()) return;
  computed_.values.copy_(own_.values);
  computed_.gradients.copy_(own_.gradients);
  computed_.buffers.copy_(own_.buffers);
}

void Weights::from_device() {
  if (!are_copies()) return;
  own_.gradients.copy_(computed_.gradients);
  own_.buffers.copy_(computed_.buffers);
}

std::uint64_t checksum(std::span<const float> values) {
  return fnv1a(std::as_bytes(values));
}

}  // namespace adarun::trainer
