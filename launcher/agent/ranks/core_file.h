// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace adarun::launcher::agent {

/// A process that left a core.
struct CrashedProcess {
  pid_t pid = 0;
  int signal = 0;
  std::string program;  ///< As it was executed: a path, or a name looked up in PATH.
  std::string workdir;  ///< Where it was started; absolute.
  std::string hostname;
};

/// Where the kernel puts the core of `dead` according to core_pattern and core_uses_pid (core(5)): a path, in
/// which '*' stands for unknown parts, or "given to PROGRAM" if the pattern pipes it. Pure.
std::string core_file(const std::string& pattern, bool uses_pid, const CrashedProcess& dead);

/// The same with the settings of this machine; "by the pattern PATTERN" if no such file exists.
std::string core_file(const CrashedProcess& dead);

}  // namespace adarun::launcher::agent
