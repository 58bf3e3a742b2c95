// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "trainer/options/options.h"

namespace adarun::trainer::options {

/// Sets in `options` what the reference's boost_level ("O0", "O1", "O2") and its boost dictionary (JSON text,
/// or empty) turn on. O0: nothing, whatever the dictionary says; O1: less_bn and grad_freeze; O2: these and
/// adasum (of weight deltas, as in the reference, with common.device_number). mode auto, and no dictionary:
/// the level's switches; manual: the level's, except those that the dictionary gives; enable_all and
/// disable_all: all or none. With dim_reduce, all other switches but grad_accumulation are ignored.
///
/// `given`: the options that the user has given beside a preset. They are before what a preset's dictionary
/// says, and what the user's own dictionary says is before options of a preset.
///
/// Throws Error: usage if the dictionary is invalid, has names that the reference does not have, or, as the
/// user's own, contradicts such an option; refused, with the name and the reason, if it turns on what this
/// trainer does not support: loss_scale_group, and adasum together with grad_accumulation.
void apply_boost(const std::string& level, const std::string& dictionary, const std::set<std::string>& given,
                 TrainerOptions& options);

}  // namespace adarun::trainer::options
