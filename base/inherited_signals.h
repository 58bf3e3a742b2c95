// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <vector>

namespace adarun::base {

/// Whether this process ignores a signal. Where whoever started it has it so, as nohup (HUP) and shells
/// without job control for what they run beside themselves (INT, QUIT), it is to stay so.
inline bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Of those that a terminal or its end send, the ones that this process ignores.
inline std::vector<int> ignored_terminal_signals() {
  std::vector<int> ignored;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT})
    if (is_ignored(number)) ignored.push_back(number);
  return ignored;
}

}  // namespace adarun::base
