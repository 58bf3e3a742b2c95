// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::launcher {

/// The launcher cannot do what it was asked: a host list that is wrong, a log folder in use, a network that
/// does not answer. The message names the thing, what was found and what was wanted.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adarun::launcher
