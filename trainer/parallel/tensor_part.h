// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace adarun::trainer
