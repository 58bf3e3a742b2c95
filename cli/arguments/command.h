// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "launcher/base/error.h"

namespace CLI {
class App;
}

namespace adarun::base {
class Log;
}

namespace adarun::cli {

struct SpecFile;

/// The exit statuses of every command (README.md; launch and train have more of their own).
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_failed = 3;
inline constexpr int exit_could_not_start = 125;  ///< launch, train, demo: failed before any rank started.
inline constexpr int exit_not_found = 127;        ///< launch, train: no such program on a node.
inline constexpr int exit_interrupted = 130;

/// Ends the program with a message for the user and an exit status.
class ExitError : public std::runtime_error {
 public:
  ExitError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// What `get` returns; where it throws an `Error`, ends the program with `status` and its words, which
/// `before` precedes.
template <typename Error = launcher::Error, typename Get>
auto or_exit(int status, Get get, const std::string& before = "") {
  try {
    return get();
  } catch (const Error& error) {
    throw ExitError(status, before + error.what());
  }
}

/// What one call of the program shares between main and its command.
struct Invocation {
  base::Log& log;                             ///< Messages other than results.
  std::vector<std::string> trailing = {};     ///< The arguments after the first "--", unchanged.
  std::shared_ptr<const SpecFile> spec = {};  ///< Of --spec; null: none.
  std::string if_not_found = {};              ///< What to say if the program in `trailing` is not found.
  bool color = false;           ///< Whether to colour stdout (from --color, NO_COLOR and the terminal).
  int exit_status = exit_done;  ///< Set by the command that ran.
};

/// Adds a subcommand and its options to `app`; the command runs from CLI11's callback. `app` and `invocation`
/// must outlive the parse. A command that fails throws; main prints the message.
using AddCommand = void (*)(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
