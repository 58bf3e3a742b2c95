// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include "trainer/precision.h"

namespace adarun::trainer {

/// While it lives, this thread computes convolutions and products of matrices in `precision` (torch's
/// autocast), and what follows from them likewise: with bfloat16, weights and inputs are rounded to it first.
/// A backward pass goes the way that its forward pass went, and gives weights gradients in float.
class Autocast {
 public:
  /// For tensors on devices of this type.
  Autocast(Precision precision, c10::DeviceType device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool is_on_;
  c10::DeviceType device_;
};

}  // namespace adarun::trainer
