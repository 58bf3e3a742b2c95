// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "base/log/log.h"

namespace adarun::cli {

/// Channel from the detached process to the foreground process that the user waits for.
class DetachChannel {
 public:
  explicit DetachChannel(base::FileDescriptor report) : report_(std::move(report)) {}

  /// Reports the job's id, and redirects stdout and stderr to `output`. Throws std::runtime_error.
  void leave_terminal(const std::string& job_id, const std::string& output);

  /// Reports that all ranks have started, whose logs are in `log_dir`; the foreground process then ends.
  void all_started(const std::string& log_dir);

 private:
  void tell(const std::string& line);

  base::FileDescriptor report_;
};

/// Runs `work` in a child process with a session of its own, so that closing the terminal does not end it,
/// and waits until it reports that all ranks have started. Then prints the job's id on stdout and further
/// commands on stderr, for the job's `name` if it has one, and returns 0. If the work ends before that,
/// prints its output, which is removed if no job was recorded beside it, and returns its status. Ctrl-C
/// during the wait is forwarded to the work. Call before any thread starts. Throws std::runtime_error.
int detach(base::Log& log, const std::string& name, const std::function<int(DetachChannel&)>& work);

}  // namespace adarun::cli
