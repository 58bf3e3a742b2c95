// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.h"

namespace adarun::trainer {

Model make_model(const std::string& name, Forward forward, const ModelShape& shape) {
  Layers outline;
  forward(outline, torch::zeros({1, shape.channels, shape.side, shape.side}), shape.classes);
  return {name, shape, forward, outline.parameters(), outline.buffers()};
}

}  // namespace adarun::trainer
