// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace adarun::base {

/// What the system says of an errno value: "No such file or directory". On any thread.
inline std::string system_text(int error) {
  return std::generic_category().message(error);
}

}  // namespace adarun::base
