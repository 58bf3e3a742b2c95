// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
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

/// The kind of a failure to reach or make a path, from errno: refused if that stays so until somebody changes
/// the node or the request.
inline protocol::StartFailure failure_of_path(int error) {
  for (const int lasting : {ENOENT, ENOTDIR, EISDIR, EACCES, EROFS, ELOOP, ENAMETOOLONG})
    if (error == lasting) return protocol::StartFailure::refused;
  return protocol::StartFailure::could_not_start;
}

}  // namespace adarun::launcher::agent
