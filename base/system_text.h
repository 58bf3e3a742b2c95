// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace adarun::base {

/// The system's message for an errno value: "No such file or directory". May be called on any thread.
inline std::string system_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace adarun::base
