// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace adarun::launcher::agent {

/// A process that left a core.
struct Dead {
  pid_t pid = 0;
  int signal = 0;
  std::string program;  ///< As it was executed: a path, or a name that was looked up.
  std::string workdir;  ///< Where it was started; absolute.
  std::string hostname;
};

/// Where the kernel puts the core of `dead`, by the node's core_pattern(5) and core_uses_pid: a path, in
/// which
/// '*' stands for what is not known; or, of a pattern that pipes it, "given to PROGRAM". Pure.
std::string core_file(const std::string& pattern, bool uses_pid, const Dead& dead);

/// Likewise, by the settings of this machine; where no such file is there, its pattern.
std::string core_file(const Dead& dead);

}  // namespace adarun::launcher::agent
