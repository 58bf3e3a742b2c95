// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "launcher/wire/messages.h"

namespace adarun::agent {

/// This node cannot do its part; `failure` is the kind that the launcher is told.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, wire::Failure failure = wire::Failure::could_not_start)
      : std::runtime_error(message), failure_(failure) {}

  wire::Failure failure() const { return failure_; }

 private:
  wire::Failure failure_;
};

}  // namespace adarun::agent
