// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// A scratch folder of a test, and Start messages whose folders are in it; removed at the end.
class JobFolder {
 public:
  JobFolder();
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// A job of one node without MPI whose ranks each run `programs[rank]`, with a long lease.
  protocol::Start start(std::vector<std::vector<std::string>> programs) const;

  /// Likewise, with one rank that runs a shell script.
  protocol::Start shell(const std::string& script) const { return start({{"/bin/sh", "-c", script}}); }

 private:
  std::filesystem::path path_;
};

/// Whether no process has this pid, not even one that waits to be reaped.
bool is_gone(pid_t pid);

/// Waits until the process has ended.
bool await_end(pid_t pid);

/// The number after `name=` in a program's output; 0 if there is none.
pid_t pid_in(const std::string& output, const std::string& name);

}  // namespace adarun::launcher::agent
