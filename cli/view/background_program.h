// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace adarun::cli {

/// A child process that runs in the background. It gets TERM when this process ends, or from the destructor,
/// which then waits for it and sends KILL after ten seconds.
class BackgroundProgram {
 public:
  /// `argv[0]` is the path of the program, `output` a descriptor for its stdout and stderr. If it cannot be
  /// executed, the child exits with status 127.
  BackgroundProgram(const std::vector<std::string>& argv, int output);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  bool has_ended() const;

  /// Waits for it to end, at most this long; whether it ended with status 0.
  bool succeeds_within(std::chrono::milliseconds time) const;

 private:
  pid_t pid_;
};

}  // namespace adarun::cli
