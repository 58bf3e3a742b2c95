// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::trainer {

/// What the layers of a model are computed in. Weights, gradients as they are combined, and optimizers are
/// float either way.
enum class Precision { float32, bfloat16 };

}  // namespace adarun::trainer
