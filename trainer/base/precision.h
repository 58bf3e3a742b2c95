// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::trainer {

/// The type in which the layers of a model are computed. Weights, combined gradients and optimizers are
/// always float.
enum class Precision { float32, bfloat16 };

}  // namespace adarun::trainer
