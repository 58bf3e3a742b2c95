// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::trainer {

/// Whether `text` is a valid run id; the launcher's job ids are: up to 64 letters, digits and '-'.
inline bool is_run_id(std::string_view text) {
  constexpr std::string_view letters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace adarun::trainer
