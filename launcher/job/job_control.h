// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>

#include "base/file_descriptor.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/nodes.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

class Job;

/// Ends a job early: tells the nodes to end their processes, and gives up on nodes that have not done so by a
/// deadline. Passive. Borrows the constructor's arguments.
class Shutdown {
 public:
  using Clock = std::chrono::steady_clock;

  /// Whether processes get the grace period to end by themselves.
  enum class StopMode { with_grace, at_once };

  /// `grace`: from TERM to KILL.
  Shutdown(const Plan& plan, Nodes& nodes, JobObserver& observer, std::chrono::milliseconds grace)
      : plan_(plan), nodes_(nodes), observer_(observer), grace_(grace) {}

  /// A node has failed before any rank runs: waits a moment for failures of the others.
  void wait_for_others(Clock::time_point now);

  /// Tells every node to end its processes. An existing deadline is never moved to a later time.
  void stop(StopMode mode, Clock::time_point now);

  /// When to stop waiting for nodes; nullopt if the job is not being ended.
  std::optional<Clock::time_point> deadline() const { return deadline_; }
  bool is_due(Clock::time_point now) const { return deadline_ && now >= *deadline_; }

  /// Moves the deadline by the time for which the job was suspended.
  void put_off(Clock::duration stood);

  /// Tells the user which nodes have not confirmed that their processes are gone.
  void name_silent_nodes() const;

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::chrono::milliseconds grace_;
  std::optional<Clock::time_point> deadline_;
};

/// Suspends a job together with its launcher: tells the nodes to stop all processes of the job, collects
/// their confirmations, and tells them to continue. Call begin() and end() alternately. Passive. Borrows the
/// constructor's arguments.
class Suspension {
 public:
  using Clock = std::chrono::steady_clock;

  Suspension(const Plan& plan, Nodes& nodes, JobObserver& observer)
      : plan_(plan), nodes_(nodes), observer_(observer) {}

  void begin(Clock::time_point now);

  /// The node has stopped its processes, or is gone: it is no longer waited for.
  void settle(std::uint32_t node) { awaited_.erase(node); }

  /// Whether no node is waited for; also true before begin().
  bool complete() const { return awaited_.empty(); }

  /// Whether it has begun, and not ended.
  bool is_on() const { return begun_.has_value(); }

  /// Tells the user that the ranks are suspended, and which nodes have not confirmed it. Does nothing before
  /// begin().
  void announce() const;

  /// Returns how long the suspension lasted; nullopt before begin().
  std::optional<Clock::duration> end(Clock::time_point now);

 private:
  const Plan& plan_;
  Nodes& nodes_;
  JobObserver& observer_;
  std::set<std::uint32_t> awaited_;  ///< Nodes that have not confirmed yet.
  std::optional<Clock::time_point> begun_;
};

/// Handles Ctrl-Z while a job runs. While this object exists, SIGTSTP stops this process only after all nodes
/// have stopped the job's processes, or after a timeout; SIGCONT continues them. A job that is being ended is
/// not stopped. If SIGTSTP is ignored, it stays ignored. If the kernel does not stop this process, because no
/// shell could continue it, the nodes continue at once. Create it on the main thread, while all other threads
/// block signals. Borrows both arguments.
class JobControl {
 public:
  using Clock = std::chrono::steady_clock;

  JobControl(Job& job, Transport& transport);
  ~JobControl();
  JobControl(const JobControl&) = delete;
  JobControl& operator=(const JobControl&) = delete;

  /// Readable when SIGTSTP has arrived; -1 if SIGTSTP is ignored.
  int fd() const { return fd_.get(); }

  /// Call in each turn of the loop: on SIGTSTP tells the job, and in a later turn stops this process. That
  /// call returns after SIGCONT.
  void advance(Clock::time_point now);

 private:
  bool asked() const;
  void stand_still();

  Job& job_;
  Transport& transport_;
  base::FileDescriptor fd_;
  std::optional<Clock::time_point> deadline_;  ///< Set while waiting for the nodes.
  bool told_ = false;                          ///< The next turn stops this process.
};

}  // namespace adarun::launcher
