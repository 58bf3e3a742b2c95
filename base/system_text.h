// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string>
#include <system_error>

namespace adarun::base {

/// The system's message for an errno value: "No such file or directory". May be called on any thread.
inline std::string system_text(int error) {
  return std::generic_category().message(error);
}

/// The name of a signal as in the shell's `trap`: "HUP"; its number if it has none.
inline std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : name;
}

}  // namespace adarun::base
