// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "diagnostics/log.h"

namespace adarun::cli {

/// What the process that stays behind has to tell the one that the user waits for.
class DetachChannel {
 public:
  explicit DetachChannel(base::FileDescriptor report) : report_(std::move(report)) {}

  /// The job has this id; from now on stdout and stderr go to `output`. Throws std::runtime_error.
  void leave_terminal(const std::string& job_id, const std::string& output);

  /// All ranks have started: the user need not wait any longer.
  void all_started();

 private:
  void tell(const std::string& line);

  base::FileDescriptor report_;
};

/// Runs `work` in a process with a session of its own, which no terminal can take along, and waits until it
/// says that all ranks have started: then prints the job's id on stdout, how to go on on stderr, and gives 0.
/// Where the work ends before that, shows what it has printed and gives its status. Ctrl-C meanwhile ends the
/// work. To be called before any thread starts. Throws std::runtime_error.
int detach(diagnostics::Log& log, const std::function<int(DetachChannel&)>& work);

}  // namespace adarun::cli
