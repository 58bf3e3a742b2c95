// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace adarun::trainer {

/// Exit statuses of the program.
enum class Exit { done = 0, refused = 1, usage = 2, failed = 3, stopped = 128 + 15 /* SIGTERM */ };

/// An error that stops the trainer. The message names the thing, what was found and what was wanted; status()
/// is the exit status of the program.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Exit status = Exit::failed)
      : std::runtime_error(message), status_(status) {}

  Exit status() const { return status_; }

 private:
  Exit status_;
};

}  // namespace adarun::trainer
