// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::trainer {

/// Returns a unique id for a run: 128 random bits as hexadecimal digits.
std::string new_run_id();

/// Whether `text` is a valid run id; the launcher's job ids are: up to 64 letters, digits and '-'.
bool is_run_id(std::string_view text);

}  // namespace adarun::trainer
