// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "launcher/stage/staging.h"

namespace adarun::cli {

/// How far files are staged, on one line of a terminal that is written over and over and is gone in the end.
class StagingLine {
 public:
  /// Shows nothing where stderr is no terminal.
  explicit StagingLine(std::FILE* out);
  ~StagingLine() { clear(); }
  StagingLine(const StagingLine&) = delete;
  StagingLine& operator=(const StagingLine&) = delete;

  /// Writes it, not more often than a reader can follow.
  void show(const launcher::StageProgress& progress);

  /// Takes it away, before something else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* out_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point next_;
};

/// What a staging that is done has come to: "staged 1 file (100 MB) on 8 nodes in 1.2 s: 800 MB sent".
std::string describe_staging(const launcher::StageProgress& progress, std::uint64_t bytes,
                             std::chrono::milliseconds time);

}  // namespace adarun::cli
