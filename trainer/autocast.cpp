// SPDX-License-Identifier: Apache-2.0
#include "trainer/autocast.h"

#include <ATen/autocast_mode.h>

namespace adarun::trainer {
namespace {

void switch_on(c10::DeviceType device, bool on) {
  if (device == c10::DeviceType::CPU) {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  } else {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  }
}

}  // namespace

Autocast::Autocast(Precision precision, c10::DeviceType device)
    : is_on_(precision == Precision::bfloat16), device_(device) {
  if (!is_on_) return;
  at::autocast::increment_nesting();
  switch_on(device_, true);
}

Autocast::~Autocast() {
  if (!is_on_) return;
  switch_on(device_, false);
  // Torch keeps the weights that it has rounded, and these change before the next pass.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace adarun::trainer
