// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/elasticity.h"
#include "launcher/job/failure_policy.h"
#include "launcher/job/hang_diagnosis.h"
#include "launcher/job/job_context.h"
#include "launcher/job/mpi_exchange.h"
#include "launcher/job/node_replacement.h"
#include "launcher/job/node_status.h"
#include "launcher/job/observer.h"
#include "launcher/job/published_names.h"
#include "launcher/job/rank_restarts.h"
#include "launcher/job/ranks.h"
#include "launcher/job/report.h"
#include "launcher/job/suspension.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/staging.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// One job as a passive state machine. Input: events with the time of their arrival. Output: messages to the
/// nodes, and calls of an observer. It reads no clock, uses no network, and reads no files but those that are
/// staged, so a test can run thousands of nodes. Not thread-safe. Borrows plan and observer.
///
/// Ranks start only after every node has sent Hello and has the staged files. The first failure stops the
/// whole job, unless its FailurePolicy has the others continue. Spares may then take the places of lost
/// nodes, which changes the plan (NodeReplacement).
///
/// Each event is passed to the member that handles it, which calls the observer and returns a failure if the
/// event is one (job_events.cpp). This class handles the phases (JobPhase), and what a failure does in each
/// (job.cpp).
class Job {
 public:
  using Clock = std::chrono::steady_clock;

  /// `take_place` puts a spare in the place of a node that the others continue without.
  Job(const Plan& plan, JobObserver& observer, Clock::time_point now,
      NodeReplacement::TakePlace take_place = {});

  void on_event(const TransportEvent& event, Clock::time_point now);

  /// The launcher received a signal that ends the job; a second one kills the ranks at once.
  void on_interrupt(int signal, Clock::time_point now);

  /// The launcher itself cannot continue, for example because the disk is full: ends the job. Does not throw,
  /// even if the observer does.
  void on_broken(const std::string& why, Clock::time_point now) noexcept;

  /// The user wants other nodes: ends the attempt, with the grace period, if ranks run.
  void on_resize(Clock::time_point now);

  /// Forwards a signal to every rank.
  void on_forward(int signal);

  /// The launcher is about to be suspended: if ranks run, tells the nodes to stop all processes of the job.
  /// Returns whether it has told them now; call it again until this process stops, as ranks may begin to run
  /// meanwhile.
  bool on_suspend(Clock::time_point now);

  /// Whether all nodes that were told so have confirmed it.
  bool suspended() const { return suspension_.complete(); }

  /// Tells the user so, and which nodes have not confirmed it.
  void say_suspended() { suspension_.announce(); }

  /// The launcher continues, and all processes of the job with it. The time since on_suspend() does not count
  /// towards the job's timeouts.
  void on_continue(Clock::time_point now);

  /// Events are waiting unread, because the observer has no room.
  void on_held_up(Clock::time_point now) { hang_.watch().advance(now, true); }

  /// Call when `deadline()` has passed.
  void on_time(Clock::time_point now);

  std::vector<Outgoing> take_outgoing() { return nodes_.take_outgoing(); }
  std::optional<Clock::time_point> deadline() const;
  bool ending() const { return phase_ >= JobPhase::stopping; }
  bool ended() const { return phase_ == JobPhase::ended; }

  /// Complete once ended().
  const JobReport& report() const { return report_; }

 private:
  // job_events.cpp
  void on_any_message(std::uint32_t node, const protocol::Message& message);
  void on_message(std::uint32_t node, const protocol::Message& message);
  void on_rank_message(std::uint32_t node, const protocol::Message& message);
  void on_lost(std::uint32_t node, const LinkLost& lost);
  void on_hello(std::uint32_t node, const protocol::Hello& hello);
  void on_done(std::uint32_t node);
  void on_files(std::uint32_t node, const protocol::Message& message);
  void on_output(const protocol::Output& output);
  void on_started(const protocol::Started& started);
  void on_exited(const protocol::Exited& exited);
  void on_joined(const protocol::Joined& joined);
  std::optional<Failure> missed_in_mpi();
  void require_ends_of(std::uint32_t node) const;

  // job.cpp
  /// Whether processes get the grace period to end by themselves.
  enum class StopMode { with_grace, at_once };

  void start_if_all_ready();
  void note_still_running(std::uint32_t node, std::chrono::milliseconds time);
  void fail_if(const std::optional<Failure>& failure);
  bool is_excused(std::uint32_t rank) const;
  std::vector<std::uint32_t> excused_failures() const;
  bool only_left_processes_run() const;
  void fail(const Failure& failure);
  void note_interrupt(int signal);
  void note_refusal();
  void stop(StopMode mode);
  void stop_if_over();
  void end_if_all_gone();
  void name_silent_nodes();
  void end();

  const Plan& plan_;
  const JobOptions& options_;
  JobObserver& observer_;
  JobPhase phase_ = JobPhase::connecting;
  Nodes nodes_;             ///< State of the nodes, and messages to send.
  Staging staging_;         ///< Sends files before ranks start.
  Ranks ranks_;             ///< State of each rank.
  HangDiagnosis hang_;      ///< Detects hangs and stragglers.
  NodeStatus node_status_;  ///< Handles nodes' reports of themselves,
  MpiExchange exchange_;    ///< and MPI messages between nodes.
  PublishedNames names_;    ///< What ranks publish for each other.
  Suspension suspension_;
  JobContext context_;                            ///< Those of all members that they share; refers to them.
  Elasticity elasticity_;                         ///< Ranks that continue when others end,
  RankRestarts restarts_;                         ///< ranks that are started again,
  NodeReplacement replacement_;                   ///< some of them on spares.
  std::unique_ptr<FailurePolicy> policy_;         ///< Decides whether the job continues after a failure.
  std::optional<Clock::time_point> gives_up_at_;  ///< Waits no longer for nodes; empty: it is not ending.
  JobReport report_;
  HeardFailure heard_failure_ = HeardFailure::may_be_later;
  bool told_over_ = false;  ///< Agents were told to end what still runs: nothing else is waited for.
  Clock::time_point now_;
  Clock::time_point begun_;
  Clock::time_point quiet_at_;  ///< When nothing runs any more on nodes that have not said so.
};

}  // namespace adarun::launcher
