// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::trainer {

/// A name for a run that no other run has: 128 random bits as hexadecimal digits.
std::string new_run_id();

/// Whether `text` can be a run's name, as the launcher's job ids are: up to 64 letters, digits and '-'.
bool is_run_id(std::string_view text);

}  // namespace adarun::trainer
