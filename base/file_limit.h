// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace adarun::base {

/// Lets this process hold as many files open as the system grants it (one log for each rank, one connection
/// for each node), for as long as the object lives. Programs it starts inherit that: give it back to them.
class FileLimit {
 public:
  FileLimit();
  ~FileLimit();
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

  /// Gives a process of ours the limit that the user had.
  void give_back(pid_t child) const;

 private:
  rlimit before_{};
};

}  // namespace adarun::base
