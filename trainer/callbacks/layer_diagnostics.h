// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adasum/diagnostics.h"

namespace adarun::trainer {

/// How the vectors of one layer's tensor stood to one another when AdaSum combined them.
struct LayerDiagnostics {
  std::string name;
  double cosine = 0;         ///< The mean over each two participants.
  double orthogonality = 0;  ///< |result|^2 / sum of |g_i|^2: 1 orthogonal, 1/participants the same.
  double to_sum = 0;         ///< |result| / |sum of g_i|: 1 where AdaSum came to their sum.
};

/// One for each of `tensors`, with its name.
std::vector<LayerDiagnostics> layer_diagnostics(const std::vector<std::string>& names,
                                                const std::vector<adasum::TensorDiagnostics>& tensors);

/// `adasum: epoch 1 step 10, orthogonality 0.431 (0.105 conv1.weight - 0.873 fc1.weight), cosine 0.213`:
/// means over the layers, and the layers at both ends.
std::string adasum_line(int epoch, int step, const std::vector<LayerDiagnostics>& layers);

}  // namespace adarun::trainer
