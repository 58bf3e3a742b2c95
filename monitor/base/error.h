// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::monitor {

/// Thrown when logs cannot be found or read. The message names the file or folder, what was found and what
/// was wanted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adarun::monitor
