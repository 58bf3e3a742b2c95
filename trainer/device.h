// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The device that options.device selects, number `index` of this node; nothing for the CPU. Prints which one
/// it is, or with DeviceChoice::automatic why there is none. Throws Error: refused if libtorch has no such
/// device, usage if other options do not work with it.
std::optional<c10::Device> choose_device(const TrainerOptions& options, int index, const Print& print);

}  // namespace adarun::trainer
