// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// This node cannot do what the launcher asked; `failure` is the kind reported to the launcher in Failed.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message,
                 protocol::StartFailure failure = protocol::StartFailure::could_not_start)
      : std::runtime_error(message), failure_(failure) {}

  protocol::StartFailure failure() const { return failure_; }

 private:
  protocol::StartFailure failure_;
};

}  // namespace adarun::launcher::agent
