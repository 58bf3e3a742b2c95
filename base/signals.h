// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>
#include <vector>

namespace adarun::base {

/// Whether this process ignores a signal. A signal ignored when the process started must stay ignored: nohup
/// ignores SIGHUP, and shells without job control ignore SIGINT and SIGQUIT for background commands.
inline bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Of the signals that a terminal or its hangup sends, those that this process ignores.
inline std::vector<int> ignored_terminal_signals() {
  std::vector<int> ignored;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT})
    if (is_ignored(number)) ignored.push_back(number);
  return ignored;
}

/// Starts a thread with all signals blocked: they are left to the thread that waits for them.
template <typename Work>
std::thread start_quiet_thread(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace adarun::base
