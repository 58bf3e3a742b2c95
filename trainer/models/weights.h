// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "trainer/models/model.h"

namespace adarun::trainer {

/// Consecutive tensors: all their values, and the elements of each.
struct TensorSpan {
  std::span<float> values;
  std::span<const std::int64_t> counts;
};

/// The weights of a model and their gradient, each as one contiguous array of floats, one tensor after the
/// other, for optimizers and allreduces. The model uses the same memory as tensors.
class Weights {
 public:
  /// Returns memory for `count` floats, zeroed, which outlives the weights.
  using Allocate = std::function<std::span<float>(std::size_t count)>;

  /// Zero gradients; weights and buffers have the model's initial values, drawn from `seed`. `values` and
  /// `gradients` allocate the memory of the weights and the gradients. With a `device`, the tensors are
  /// copies on it.
  Weights(const Model& model, std::uint64_t seed, const Allocate& values = {}, const Allocate& gradients = {},
          std::optional<torch::Device> device = std::nullopt);

  std::span<float> values() { return span(own_.values); }
  std::span<float> gradients() { return span(own_.gradients); }
  std::span<float> buffers() { return span(own_.buffers); }
  std::span<const float> values() const { return span(own_.values); }
  std::span<const float> buffers() const { return span(own_.buffers); }

  /// Elements of each trainable tensor, in order; their sum is values().size().
  std::span<const std::int64_t> counts() const { return counts_; }

  /// The values and gradients of the tensors from `first` on.
  TensorSpan values_from(std::size_t first) { return from(first, values()); }
  TensorSpan gradients_from(std::size_t first) { return from(first, gradients()); }

  /// Elements of each row of the tensors from `first` on: of the first dimension of those with two or more,
  /// else of the whole tensor.
  std::vector<std::int64_t> row_counts(std::size_t first) const;

  /// The trainable tensors; backward() adds to gradients(), or to its copy.
  std::span<const torch::Tensor> tensors() const { return tensors_; }

  /// Backward passes compute no gradients of the tensors before `first`; they end there where they can.
  void freeze_before(std::size_t first);

  /// The tensors of buffers().
  std::span<const torch::Tensor> buffer_tensors() const { return buffer_tensors_; }

  /// The device of the tensors.
  torch::Device device() const { return computed_.values.device(); }

  /// If the tensors are copies: before a pass, copies values(), gradients() and buffers() to the tensors;
  /// after it, copies gradients and buffers back.
  void to_device() const;
  void from_device();

 private:
  struct Flat {
    torch::Tensor values;
    torch::Tensor gradients;
    torch::Tensor buffers;
  };

  static std::span<float> span(const torch::Tensor& flat) {
    return {flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())};
  }

  TensorSpan from(std::size_t first, std::span<float> all) const;

  bool are_copies() const { return !computed_.values.is_same(own_.values); }

  Flat own_;
  Flat computed_;  // views of the same memory, or copies
  std::vector<torch::Tensor> tensors_;
  std::vector<torch::Tensor> buffer_tensors_;
  std::vector<std::int64_t> counts_;
};

/// fnv1a() of the bits of `values`: equal weights have equal checksums.
std::uint64_t checksum(std::span<const float> values);

}  // namespace adarun::trainer
