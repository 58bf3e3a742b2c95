// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/types.h>

namespace adarun::trainer {

/// The largest value of each 2x2 window of x (batch, channels, rows, columns); windows do not overlap, and an
/// odd last row or column is dropped. Values and gradients are bit-equal to torch::max_pool2d(x, 2), but
/// faster for float and double.
torch::Tensor max_pool_2x2(const torch::Tensor& x);

}  // namespace adarun::trainer
