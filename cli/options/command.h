// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace adarun::diagnostics {
class Log;
}

namespace adarun::cli {

/// The exit statuses of every command (README.md; launch and train have more of their own).
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_failed = 3;
inline constexpr int exit_could_not_start = 125;  ///< launch, train, demo: before the first rank starts.
inline constexpr int exit_interrupted = 130;

/// Ends the program with a message for the user and a status of its own.
class Quit : public std::runtime_error {
 public:
  Quit(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// What one call of the program shares between main and its command.
struct Invocation {
  diagnostics::Log& log;                   ///< What is said beside results.
  std::vector<std::string> trailing = {};  ///< The arguments behind the first "--", untouched.
  bool color = false;           ///< Whether stdout takes colour, after --color, NO_COLOR and the terminal.
  int exit_status = exit_done;  ///< Set by the command that ran.
};

/// Each command adds its subcommand and options to `app`, and runs from CLI11's callback. `app` and
/// `invocation` outlive the parse. A command throws when it cannot do its work: main prints the message.
using AddCommand = void (*)(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
