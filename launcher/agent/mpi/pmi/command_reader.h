// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/agent/mpi/pmi/command.h"

namespace adarun::launcher::agent::pmi {

/// Splits the byte stream of a rank into commands. Its memory is bounded for any input.
class CommandReader {
 public:
  /// MPICH writes lines of 1024 bytes at most.
  static constexpr std::size_t max_line_bytes = 8U << 10U;

  /// Of a command of several lines.
  static constexpr std::size_t max_command_bytes = 64U << 10U;

  /// Adds received bytes. Call when next() has returned nothing.
  void feed(std::string_view bytes);

  /// Whether next() has a whole line to read.
  bool has_line() const { return buffer_.find('\n', used_) != std::string::npos; }

  /// The next whole command, or nothing until more bytes are fed. Throws agent::Error if the bytes are not
  /// PMI-1, or a line or command is too long; the stream is unusable afterwards.
  std::optional<Command> next();

 private:
  std::optional<Command> take(std::string_view line);

  std::string buffer_;
  std::size_t used_ = 0;
  std::optional<Command> open_;  ///< A command of several lines whose end has not arrived.
  std::size_t open_bytes_ = 0;
};

}  // namespace adarun::launcher::agent::pmi
