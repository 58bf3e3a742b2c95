// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// The signal that `adarun stop` sends. A real-time signal: nothing else sends it, and it is queued, so that
/// a second one is not lost.
inline int stop_signal() {
  return SIGRTMIN;
}

/// Whether a signal that SignalGuard took ends the job; USR1 and USR2 are for the ranks.
inline bool ends_job(int signal) {
  return signal != 0 && signal != SIGUSR1 && signal != SIGUSR2;
}

/// While it exists, blocks the signals that a running job handles: INT, TERM, HUP and stop_signal() end the
/// job, as does PIPE, when the reader of the output is gone; USR1 and USR2 are forwarded to the ranks. INT
/// and HUP stay ignored if they were. Create it before any thread starts. PIPE is ignored from then on.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// Readable while a signal is pending.
  int fd() const { return fd_.get(); }

  /// The number of the next pending signal, or 0.
  int take() const;

 private:
  base::FileDescriptor fd_;
};

/// Takes the signals of a job. A thread of its own sees to it that those which end the job do so even while
/// the job's thread is blocked, for example in a write to a file system that does not answer: the first one
/// that waits for `timeout` has `stop` called, a later one `give_up`, both on that thread. The job's thread
/// gets them when it continues; those that it has not taken in the end are pending again.
class SignalWatch {
 public:
  static constexpr std::chrono::milliseconds default_timeout{2'000};

  using Action = std::function<void(int signal)>;
  struct Actions {
    Action stop;
    Action give_up;
  };

  /// Borrows `signals`. Throws Error.
  SignalWatch(const SignalGuard& signals, Actions actions,
              std::chrono::milliseconds timeout = default_timeout);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The next signal, or 0. For the job's thread.
  int take();

  /// Whether signals came while that thread was blocked, which it has not taken yet.
  bool holds_any() const;

 private:
  void run();
  int hold_pending();

  const SignalGuard& signals_;
  const Actions actions_;
  const std::chrono::milliseconds timeout_;
  base::FileDescriptor end_;              ///< Readable once this object is being destroyed.
  std::atomic<std::uint64_t> turns_ = 0;  ///< Calls of take().
  mutable std::mutex mutex_;
  std::deque<int> held_;
  bool has_stopped_ = false;  ///< `stop` was called.
  std::thread thread_;
};

}  // namespace adarun::launcher
