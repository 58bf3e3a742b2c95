// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace adarun::cli {

/// Path of the trainer: `given`, else beside this program.
std::string trainer_program(const std::string& given);

/// What the trainer's own options ask it instead of training: "--help" or "--version"; empty: nothing.
std::string asked_of_trainer(const std::vector<std::string>& trainer_options);

/// Whether the trainer's own options leave AdaSum and its rules enabled on `ranks` ranks: one rank combines
/// nothing unless it is told to, nor do ranks that each learn alone.
bool wants_adasum_rules(const std::vector<std::string>& trainer_options, std::size_t ranks);

}  // namespace adarun::cli
