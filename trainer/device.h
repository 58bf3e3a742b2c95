// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <optional>
#include <string>

#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The device that options.device selects, number `device_id` of this node; nothing for the CPU. Prints which
/// one it is, or with DeviceChoice::automatic why there is none. Throws Error: refused if libtorch has no
/// such device, usage if other options do not work with it.
std::optional<c10::Device> choose_device(const TrainerOptions& options, int device_id, const Print& print);

/// The number that libtorch gives to device `device_id` of a node where it finds `count` of them: 0 if
/// `visible` (CUDA_VISIBLE_DEVICES) leaves the rank one alone, else the same. Nothing if there is no such
/// one.
std::optional<std::size_t> number_of_device(int device_id, std::size_t count,
                                            const std::optional<std::string>& visible);

}  // namespace adarun::trainer
