// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "trainer/models/model.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {

/// The tensors of a whole model on rank 0, of which all ranks hold parts: one tensor after the other, in the
/// order of the model. All functions are collective; a rank sends or receives a message for each tensor, rank
/// 0 one for each rank too.
class WholeTensors {
 public:
  /// `strategies`: one for each layer of the graph of `whole`. All must outlive it.
  WholeTensors(const Model& whole, const std::vector<planner::Strategy>& strategies,
               adasum::Communicator& world);

  /// Values of the weights, and of the buffers.
  std::size_t weights() const;
  std::size_t buffers() const;

  /// `parts`: this rank's, of the weights or of an optimizer's numbers for them, which have the same bits in
  /// each replica. `whole`: weights() values on rank 0, empty on the others.
  void gather(std::span<const float> parts, std::span<float> whole);
  void scatter(std::span<const float> whole, std::span<float> parts);

  /// `parts`: this rank's of the buffers, which differ between replicas. `of_all`: those of all ranks on
  /// rank 0, the whole buffers of rank 0's replica, of rank 1's, ...; empty on the others.
  void gather_buffers(std::span<const float> parts, std::span<float> of_all);
  void scatter_buffers(std::span<const float> of_all, std::span<float> parts);

 private:
  const Model& whole_;
  const std::vector<planner::Strategy>& strategies_;
  adasum::Communicator& world_;
};

}  // namespace adarun::trainer
