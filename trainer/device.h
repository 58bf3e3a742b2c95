// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <optional>

#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The device that options.device asks for, where that is none of the processor's own memory: number `index`
/// of this node. Prints which one it is, and with DeviceChoice::automatic why it is none. Throws Error
/// (refused) where libtorch has no such device, (usage) where the options ask of it what it does not do.
std::optional<c10::Device> choose_device(const TrainerOptions& options, int index, const Print& print);

}  // namespace adarun::trainer
