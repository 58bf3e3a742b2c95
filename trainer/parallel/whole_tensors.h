// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/models/model.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// What a rank holds of a tensor: a range of one of its dimensions, all of the others.
struct TensorPart {
  std::vector<std::int64_t> whole;  ///< The shape of the whole tensor.
  std::size_t dimension = 0;
  planner::IndexRange range;  ///< Of this dimension.

  std::vector<std::int64_t> shape() const;
  std::size_t count() const;  ///< Values.
  bool operator==(const TensorPart&) const = default;
};

/// Copies the part of `whole` (the values of the whole tensor) to `part`, or back.
void take_part(std::span<const float> whole, const TensorPart& of, std::span<float> part);
void put_part(std::span<const float> part, const TensorPart& of, std::span<float> whole);

/// The part of a tensor of `model` that `rank` holds if its layers run so, one strategy for each: kernels are
/// split by output or input channels, biases, scales, shifts and statistics by output channels.
TensorPart part_of_tensor(const Model& model, const TensorShape& tensor,
                          const std::vector<planner::Strategy>& strategies, std::int64_t rank);

/// The model with the tensors as `rank` holds them.
Model model_of_rank(const Model& model, const std::vector<planner::Strategy>& strategies, std::int64_t rank);

/// The tensors of a whole model on rank 0, of which all ranks hold parts: one tensor after the other, in the
/// order of the model. All functions are collective; a rank sends or receives a message for each tensor, rank
/// 0 one for each rank too.
class WholeTensors {
 public:
  /// `strategies`: one for each layer of the graph of `whole`. All must outlive it.
  WholeTensors(const Model& whole, const std::vector<planner::Strategy>& strategies,
               adasum::Communicator& world);

  /// Values of the weights, and of the buffers.
  std::size_t weights() const { return weights_; }
  std::size_t buffers() const { return buffers_; }

  /// `parts`: this rank's, of the weights or of an optimizer's numbers for them, which have the same bits in
  /// each replica. `whole`: weights() values on rank 0, empty on the others.
  void gather(std::span<const float> parts, std::span<float> whole) {
    gather_all(whole_.parameters, 0, parts, whole);
  }
  void scatter(std::span<const float> whole, std::span<float> parts) {
    scatter_all(whole_.parameters, 0, whole, parts);
  }

  /// `parts`: this rank's of the buffers, which differ between replicas. `of_all`: those of all ranks on
  /// rank 0, the whole buffers of rank 0's replica, of rank 1's, ...; empty on the others.
  void gather_buffers(std::span<const float> parts, std::span<float> of_all) {
    gather_all(whole_.buffers, buffers_, parts, of_all);
  }
  void scatter_buffers(std::span<const float> of_all, std::span<float> parts) {
    scatter_all(whole_.buffers, buffers_, of_all, parts);
  }

 private:
  /// `of_rank`: so many values of `whole` belong to each rank; 0: all of them to every rank.
  void gather_all(const std::vector<TensorShape>& tensors, std::size_t of_rank, std::span<const float> parts,
                  std::span<float> whole);
  void scatter_all(const std::vector<TensorShape>& tensors, std::size_t of_rank, std::span<const float> whole,
                   std::span<float> parts);

  const Model& whole_;
  const std::vector<planner::Strategy>& strategies_;
  adasum::Communicator& world_;
  std::size_t weights_;
  std::size_t buffers_;
};

}  // namespace adarun::trainer
