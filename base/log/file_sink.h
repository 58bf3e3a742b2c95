// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/file_descriptor.h"

namespace spdlog::sinks {
class sink;
}

namespace adarun::base {

/// The sink of a log's file: buffers up to 4 MiB of lines until a file is opened. Thread-safe.
class FileSink {
 public:
  FileSink();
  ~FileSink();

  /// The sink as spdlog takes it; shared ownership.
  std::shared_ptr<spdlog::sinks::sink> sink() const;

  /// Writes the buffered lines and all later ones to `file`, whose folder is open as `folder`: at most
  /// `most_bytes` there, and as much again in one predecessor. Throws std::exception.
  void open(const std::string& file, base::FileDescriptor folder, std::size_t most_bytes);

  /// Stops writing and buffering. Returns the file's name; nothing if there is no file or this was called
  /// before.
  std::optional<std::string> give_up();

 private:
  class Sink;

  std::shared_ptr<Sink> sink_;
};

}  // namespace adarun::base
