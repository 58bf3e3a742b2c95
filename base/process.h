// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace adarun::base {

/// The file of this program. Throws std::runtime_error where /proc is not mounted.
std::filesystem::path own_program();

/// When a process of this machine started, in kernel ticks since boot: with its pid, this identifies a
/// process uniquely. 0: no such process, or a zombie.
std::uint64_t start_ticks(pid_t pid);

/// Whether a process exists that /proc, mounted with hidepid, does not show: one of another user, or one that
/// the kernel does not let us inspect.
bool is_hidden(pid_t pid);

/// The folder of this process's own control group of version 2, from the texts of /proc/self/mountinfo and
/// /proc/self/cgroup; nothing if version 2 is not mounted or the group is outside of what is mounted. Version
/// 1 may be mounted as well. Pure.
std::optional<std::string> cgroup_folder(const std::string& mountinfo, const std::string& cgroup);

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
