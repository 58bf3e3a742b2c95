// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::ranktable {

/// Thrown when a table, or the data it is made from, cannot be read or does not allow what was requested. The
/// message names the file, the place in it, what was found and what was wanted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adarun::ranktable
