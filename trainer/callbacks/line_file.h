// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::trainer {

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

}  // namespace adarun::trainer
