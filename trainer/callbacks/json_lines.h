// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/callback.h"

namespace adarun::trainer {

struct LayerDiagnostics;

/// A file to which lines are appended, each of them at once. It may be a pipe: one that nobody reads, or not
/// fast enough, is an error like others, and neither a signal nor a wait without end.
class LineFile {
 public:
  /// Opens `file`, and creates it where it is not there. `timeout`: how long a line waits for the reader of
  /// a pipe. Throws Error.
  LineFile(std::string file, std::chrono::milliseconds timeout);

  /// Throws Error; the line may then be there in part, and no other is to be written.
  void write(const std::string& line);

 private:
  std::string name_;
  std::chrono::milliseconds timeout_;
  base::FileDescriptor file_;
};

/// Writes events to a file, one JSON object per line, as soon as they are known:
///   {"event":"step","epoch":1,"step":10,"loss":2.07,"lr":0.02,"time_s":1.5}
///       each step; a loss that is not finite is null
///   {"event":"dropped","epoch":1,"step":11,"rank":3,"loss_scale":512.0}
///       a step that was skipped
///   {"event":"adasum","epoch":1,"step":10,"layers":{"conv1.weight":{"cosine":0.2,"orthogonality":0.4,
///    "to_sum":0.7},...}}
///       if AdaSum diagnostics are enabled
///   {"event":"epoch","epoch":1,"steps":32,"time_s":8.4}
///       the end of an epoch
/// Times count from the start of this process's training.
class JsonLines : public Callback {
 public:
  /// What it means that the file cannot be opened.
  enum class Unopened { is_an_error, is_told };

  /// Appends to `file`. Throws Error if it cannot be opened and that is an error. If a line cannot be
  /// written, or the file cannot be opened, `print` is told once, and nothing more is written: a training
  /// that has begun is worth more than the file. This is so, too, of a pipe that nobody reads, or whose
  /// reader lets a line wait for 10 s.
  JsonLines(std::string file, Print print, Unopened unopened = Unopened::is_an_error);

  void step_dropped(const Progress& at, int rank, double scale) override;
  void step_end(const Progress& progress) override;
  void epoch_end(const Progress& last) override;

  /// The diagnostics of each layer at the end of this step.
  void adasum(const Progress& progress, const std::vector<LayerDiagnostics>& layers);

 private:
  void write(const std::string& line);
  void tell(const Error& error);
  double time_s() const;

  Print print_;
  std::optional<LineFile> out_;  // nothing once it has failed
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace adarun::trainer
