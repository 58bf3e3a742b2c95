// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adasum/diagnostics.h"

namespace adarun::trainer {

/// How similar the participants' vectors of one layer's tensor were when AdaSum combined them.
struct LayerDiagnostics {
  std::string name;
  double cosine = 0;         ///< The mean over every two participants.
  double orthogonality = 0;  ///< |result|^2 / sum of |g_i|^2: 1 if orthogonal, 1/participants if equal.
  double to_sum = 0;         ///< |result| / |sum of g_i|: 1 if the result of AdaSum is the sum.
};

/// One entry for each of `tensors`, which are the last ones of those that have `names`.
std::vector<LayerDiagnostics> layer_diagnostics(const std::vector<std::string>& names,
                                                const std::vector<adasum::TensorDiagnostics>& tensors);

/// `adasum: epoch 1 step 10, orthogonality 0.431 (0.105 conv1.weight - 0.873 fc1.weight), cosine 0.213`:
/// means over the layers, and the layers with the lowest and highest value.
std::string adasum_line(int epoch, int step, const std::vector<LayerDiagnostics>& layers);

}  // namespace adarun::trainer
