// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace adarun::launcher::protocol {

/// A violation of the protocol, such as a frame that is too long, cut short or of an unknown type, or a
/// message that is not allowed now; or a spool file that cannot be used.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace adarun::launcher::protocol
