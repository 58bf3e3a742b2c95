// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trainer/options.h"

namespace adarun::trainer::options {

/// Sets in `options` what the reference's boost_level ("O0", "O1", "O2") and its boost dictionary (JSON text,
/// or empty) ask for: adasum (of weight deltas, as there) with common.device_number, grad_accumulation with
/// its grad_accumulation_step. Without a dictionary, or where its mode is auto, the level decides; manual:
/// its own switches; enable_all and disable_all: all or none.
///
/// Throws Error: usage where the dictionary is none or names what the reference does not have; refused, with
/// the name and the reason, where it asks for what this trainer does not do: less_bn, grad_freeze,
/// dim_reduce, loss_scale_group.
void apply_boost(const std::string& level, const std::string& dictionary, Options& options);

}  // namespace adarun::trainer::options
