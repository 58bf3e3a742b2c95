// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainer/boost/boost_options.h"

/// The sections of the reference's boost dictionary, each as JSON text of an object. Keys that are not given
/// have the reference's values. All functions throw Error (usage), with section and key, on keys that the
/// reference does not have and on values out of range.
namespace adarun::trainer::options {

[[noreturn]] void refuse_boost(const std::string& what);

/// Refuses `name`, which is none of `known`.
[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<std::string>& known);

/// common.device_number; nothing if it is not given. common.gradient_split_groups (how the reference splits
/// gradients for sending) is ignored.
std::optional<int> read_device_number(const std::string& section);

LessBnOptions read_less_bn(const std::string& section);
GradFreezeOptions read_grad_freeze(const std::string& section);

/// Wants pca_mat_path or weight_load_dir.
DimReduceOptions read_dim_reduce(const std::string& section);

/// grad_accumulation.grad_accumulation_step.
int read_accumulation(const std::string& section);

}  // namespace adarun::trainer::options
