// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace adarun::base {

/// Raises this process's limit of open files to its hard limit (one log for each rank, one connection for
/// each node), for as long as the object lives. Child processes inherit it: call give_back() for them.
class FileLimit {
 public:
  FileLimit();
  ~FileLimit();
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

  /// Sets a child's limit to the one that the user had.
  void give_back(pid_t child) const;

 private:
  rlimit before_{};
};

}  // namespace adarun::base
