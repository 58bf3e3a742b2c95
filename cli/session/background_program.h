// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace adarun::cli {

/// A program that runs beside this one, its output appended to a file (0600). It gets TERM when this object
/// or this process ends; in the first case it is waited for, and gets KILL after ten seconds.
class BackgroundProgram {
 public:
  /// `argv[0]` is the path of the program. One that cannot be executed ends with status 127.
  BackgroundProgram(const std::vector<std::string>& argv, const std::filesystem::path& log);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  bool has_ended() const;

  /// Whether it ends with status 0 within this time.
  bool succeeds_within(std::chrono::milliseconds time) const;

 private:
  pid_t pid_;
};

}  // namespace adarun::cli
