// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/tensor_part.h"

#include <algorithm>

namespace adarun::trainer {
namespace {

using planner::LayerSplit;

/// How the values of a tensor lie: `rows` times `size` slices of `slice` values.
struct Slices {
  explicit Slices(const TensorPart& of) {
    for (std::size_t d = 0; d < of.whole.size(); ++d) {
      const auto extent = static_cast<std::size_t>(of.whole[d]);
      if (d < of.dimension) rows *= extent;
      if (d == of.dimension) size = extent;
      if (d > of.dimension) slice *= extent;
    }
    begin = static_cast<std::size_t>(of.range.begin) * slice;
    count = static_cast<std::size_t>(of.range.size()) * slice;
  }

  std::size_t rows = 1;
  std::size_t size = 1;
  std::size_t slice = 1;
  std::size_t begin = 0;  // of the part, in a row
  std::size_t count = 0;  // its values in a row
};

bool is_weight(const TensorShape& tensor) {
  return tensor.role == TensorRole::weight || tensor.role == TensorRole::normalized_weight;
}

TensorPart whole_of(const TensorShape& tensor) {
  return {tensor.shape, 0, {0, tensor.shape.front()}};
}

void cut_all(std::vector<TensorShape>& tensors, const Model& model,
             const std::vector<planner::Strategy>& strategies, std::int64_t rank) {
  for (TensorShape& tensor : tensors) tensor.shape = part_of_tensor(model, tensor, strategies, rank).shape();
}

}  // namespace

std::vector<std::int64_t> TensorPart::shape() const {
  std::vector<std::int64_t> shape = whole;
  shape[dimension] = range.size();
  return shape;
}

std::size_t TensorPart::count() const {
  std::size_t count = 1;
  for (const std::int64_t extent : shape()) count *= static_cast<std::size_t>(extent);
  return count;
}

void take_part(std::span<const float> whole, const TensorPart& of, std::span<float> part) {
  const Slices slices(of);
  for (std::size_t row = 0; row < slices.rows; ++row)
    std::ranges::copy(whole.subspan(row * slices.size * slices.slice + slices.begin, slices.count),
                      part.begin() + static_cast<std::ptrdiff_t>(row * slices.count));
}

void put_part(std::span<const float> part, const TensorPart& of, std::span<float> whole) {
  const Slices slices(of);
  for (std::size_t row = 0; row < slices.rows; ++row)
    std::ranges::copy(
        part.subspan(row * slices.count, slices.count),
        whole.begin() + static_cast<std::ptrdiff_t>(row * slices.size * slices.slice + slices.begin));
}

TensorPart part_of_tensor(const Model& model, const TensorShape& tensor,
                          const std::vector<planner::Strategy>& strategies, std::int64_t rank) {
  TensorPart part = whole_of(tensor);
  if (tensor.layer == Activation::images) return part;
  const planner::Strategy& strategy = strategies[tensor.layer];
  const std::int64_t index = rank % strategy.parts;
  if (strategy.split == LayerSplit::outputs)
    part.range = planner::part_of(tensor.shape.front(), strategy.parts, index);
  if (strategy.split == LayerSplit::inputs && is_weight(tensor)) {
    // A dense layer has several inputs for each channel that a convolution before it gives.
    const std::int64_t channels = model.graph.in_channels(tensor.layer);
    const std::int64_t inputs = tensor.shape[1] / channels;
    const planner::IndexRange of_channels = planner::part_of(channels, strategy.parts, index);
    part.dimension = 1;
    part.range = {of_channels.begin * inputs, of_channels.end * inputs};
  }
  return part;
}

Model model_of_rank(const Model& model, const std::vector<planner::Strategy>& strategies, std::int64_t rank) {
  Model cut = model;
  cut_all(cut.parameters, model, strategies, rank);
  cut_all(cut.buffers, model, strategies, rank);
  return cut;
}

}  // namespace adarun::trainer
