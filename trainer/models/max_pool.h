// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace adarun::trainer {

/// The largest value of each 2x2 window of x (batch, channels, rows, columns), windows side by side, an odd
/// row or column left out: values and gradients of torch::max_pool2d(x, 2) to the bit, in less time for float
/// and double.
torch::Tensor max_pool_2x2(const torch::Tensor& x);

}  // namespace adarun::trainer
