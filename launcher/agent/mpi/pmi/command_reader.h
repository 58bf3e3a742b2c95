// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/agent/mpi/pmi/command.h"

namespace adarun::launcher::agent::pmi {

/// Cuts what a rank writes into commands. What it holds is bounded, whatever comes.
class CommandReader {
 public:
  /// MPICH writes lines of 1024 bytes at most.
  static constexpr std::size_t max_line_bytes = 8U << 10U;

  /// Of a command of several lines.
  static constexpr std::size_t max_command_bytes = 64U << 10U;

  /// Adds bytes as they came. To be called when next() has given nothing.
  void feed(std::string_view bytes);

  /// The next whole command, or nothing until more bytes are fed. Throws agent::Error where the bytes are no
  /// PMI-1, or a line or command is too long; the stream is of no use afterwards.
  std::optional<Command> next();

 private:
  std::optional<Command> take(std::string_view line);

  std::string buffer_;
  std::size_t used_ = 0;
  std::optional<Command> open_;  ///< One of several lines whose end has not come.
  std::size_t open_bytes_ = 0;
};

}  // namespace adarun::launcher::agent::pmi
