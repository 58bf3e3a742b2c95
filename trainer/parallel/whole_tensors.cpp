// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/whole_tensors.h"

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

namespace {

std::size_t count_of(const std::vector<TensorShape>& tensors) {
  std::size_t count = 0;
  for (const TensorShape& tensor : tensors) count += static_cast<std::size_t>(tensor.count());
  return count;
}

bool is_whole(const TensorPart& part) {
  return part.range.size() == part.whole[part.dimension];
}

/// Removes and returns the first `count` values.
template <typename Value>
std::span<Value> take_first(std::span<Value>& values, std::size_t count) {
  const std::span<Value> first = values.first(count);
  values = values.subspan(count);
  return first;
}

/// The values of a tensor among those of all tensors of each rank, `of_rank` of them; 0: all ranks have the
/// same.
template <typename Value>
std::span<Value> slot_of(std::span<Value> of_all, std::size_t of_rank, std::int64_t rank, std::size_t offset,
                         std::size_t count) {
  return of_all.subspan(of_rank * static_cast<std::size_t>(rank) + offset, count);
}

}  // namespace

WholeTensors::WholeTensors(const Model& whole, const std::vector<planner::Strategy>& strategies,
                           adasum::Communicator& world)
    : whole_(whole),
      strategies_(strategies),
      world_(world),
      weights_(count_of(whole.parameters)),
      buffers_(count_of(whole.buffers)) {}

void WholeTensors::gather_all(const std::vector<TensorShape>& tensors, std::size_t of_rank,
                              std::span<const float> parts, std::span<float> whole) {
  std::size_t offset = 0;
  for (const TensorShape& tensor : tensors) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const TensorPart own = part_of_tensor(whole_, tensor, strategies_, world_.rank());
    const std::span<const float> mine = take_first(parts, own.count());
    // The ranks of the first replica hold all of what is the same in each.
    const std::int64_t of_replica = is_whole(own) ? 1 : strategies_[tensor.layer].parts;
    const std::int64_t holders = of_rank > 0 ? world_.size() : of_replica;
    if (world_.rank() > 0 && world_.rank() < holders) world_.send(0, std::as_bytes(mine));
    std::vector<float> received;
    for (int rank = 0; world_.rank() == 0 && rank < holders; ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      received.resize(part.count());
      if (rank == 0)
        std::ranges::copy(mine, received.begin());
      else
        world_.receive(rank, std::as_writable_bytes(std::span(received)));
      // Into the values of all ranks of its replica.
      const std::int64_t sharers = of_rank > 0 ? of_replica : 1;
      for (std::int64_t of = rank / sharers * sharers; of < (rank / sharers + 1) * sharers; ++of)
        put_part(received, part, slot_of(whole, of_rank, of, offset, count));
    }
    offset += count;
  }
}

void WholeTensors::scatter_all(const std::vector<TensorShape>& tensors, std::size_t of_rank,
                               std::span<const float> whole, std::span<float> parts) {
  std::size_t offset = 0;
  for (const TensorShape& tensor : tensors) {
    const auto count = static_cast<std::size_t>(tensor.count());
    const TensorPart own = part_of_tensor(whole_, tensor, strategies_, world_.rank());
    const std::span<float> mine = take_first(parts, own.count());
    if (world_.rank() != 0) world_.receive(0, std::as_writable_bytes(mine));
    std::vector<float> sent;
    for (int rank = 0; world_.rank() == 0 && rank < world_.size(); ++rank) {
      const TensorPart part = part_of_tensor(whole_, tensor, strategies_, rank);
      sent.resize(part.count());
      take_part(slot_of(whole, of_rank, rank, offset, count), part, sent);
      if (rank == 0)
        std::ranges::copy(sent, mine.begin());
      else
        world_.send(rank, std::as_bytes(std::span(sent)));
    }
    offset += count;
  }
}

}  // namespace adarun::trainer
