// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::cli {

/// Path of the trainer: `given`, else beside this program.
std::string trainer_program(const std::string& given);

/// What the trainer's own options ask it instead of training: "--help" or "--version"; empty: nothing.
std::string asked_of_trainer(const std::vector<std::string>& trainer_options);

/// Whether the trainer's own options leave AdaSum and its rules enabled.
bool wants_adasum_rules(const std::vector<std::string>& trainer_options);

}  // namespace adarun::cli
