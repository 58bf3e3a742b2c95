// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::launcher::protocol {

/// Bytes that are no frame of ours: too long, cut short, or of an unknown type.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adarun::launcher::protocol
