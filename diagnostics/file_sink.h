// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace spdlog::sinks {
class sink;
}

namespace adarun::diagnostics {

/// The sink of a log's file: keeps the first lines until there is a file. Thread-safe.
class FileSink {
 public:
  FileSink();
  ~FileSink();

  /// As spdlog has it; lives as long as somebody holds it.
  std::shared_ptr<spdlog::sinks::sink> sink() const;

  /// Writes to `file` from now on, beginning with what is kept; at most `most_bytes` there, and as much again
  /// in its predecessor. Throws std::exception.
  void open(const std::string& file, std::size_t most_bytes);

  /// Writes and keeps nothing any more. The file's name; nothing where that was done before.
  std::optional<std::string> give_up();

 private:
  class Sink;

  std::shared_ptr<Sink> sink_;
};

}  // namespace adarun::diagnostics
