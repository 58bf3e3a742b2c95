// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/hang_diagnosis.h"
#include "launcher/job/job_phase.h"
#include "launcher/job/mpi_exchange.h"
#include "launcher/job/node_status.h"
#include "launcher/job/observer.h"
#include "launcher/job/rank_events.h"
#include "launcher/job/ranks.h"
#include "launcher/job/report.h"
#include "launcher/job/shutdown.h"
#include "launcher/job/suspension.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/staging.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// One job as a passive state machine: events go in with the time they came, messages to the
/// nodes come out, an observer is told. It reads no clock, no file but those that are staged, and touches no
/// network, so thousands of nodes run in a test. Not thread-safe. Borrows plan and observer.
///
/// Nothing starts on any node before every node has said Hello and has what is staged. The first failure
/// stops the whole job.
///
/// Each event goes to the part that knows what it means (see the members), which tells the observer and gives
/// a failure where it is one. The phases (JobPhase), and what a failure does in each, are here.
class Job {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::optional<std::chrono::milliseconds> timeout;            ///< Of the whole job.
    std::chrono::milliseconds grace = default_grace;             ///< From TERM to KILL on a node.
    std::optional<std::chrono::milliseconds> hang_timeout = {};  ///< Silence of all ranks that is a hang.
  };

  Job(const Plan& plan, const Limits& limits, JobObserver& observer, Clock::time_point now);

  void on_event(const TransportEvent& event, Clock::time_point now);

  /// A signal to the launcher that asks for the job's end; a second one ends it at once.
  void on_interrupt(int signal, Clock::time_point now);

  /// The launcher itself cannot go on, such as on a full disk: ends the job. Throws nothing, also where the
  /// observer does.
  void on_broken(const std::string& why, Clock::time_point now) noexcept;

  /// A signal that is passed on to every rank.
  void on_forward(int signal);

  /// The launcher is about to stand still: where ranks run, nodes are told to stop all processes of the job.
  void on_suspend(Clock::time_point now);

  /// All nodes have said that they have.
  bool suspended() const { return suspension_.complete(); }

  /// The user is told so, and which nodes have not said it.
  void say_suspended() { suspension_.announce(); }

  /// The launcher goes on, and every process with it. The time since on_suspend is none of the job's.
  void on_continue(Clock::time_point now);

  /// Events wait to be taken in, since the observer has no room.
  void on_held_up(Clock::time_point now) { hang_.watch().held_up(now); }

  /// To be called when `deadline()` has come.
  void on_time(Clock::time_point now);

  std::vector<Outgoing> take_outgoing() { return nodes_.take_outgoing(); }
  std::optional<Clock::time_point> deadline() const;
  bool ending() const { return phase_ >= JobPhase::stopping; }
  bool ended() const { return phase_ == JobPhase::ended; }

  /// Complete once ended().
  const JobReport& report() const { return report_; }

 private:
  void on_any_message(std::uint32_t node, const protocol::Message& message);
  void on_message(std::uint32_t node, const protocol::Message& message);
  void on_lost(std::uint32_t node, const std::string& reason);
  void on_staging();
  void start_if_all_ready();
  void fail_if(const std::optional<Failure>& failure);
  void fail(const Failure& failure);
  void stop(Shutdown::Pace pace);
  void end_if_all_gone();
  void end();

  const Plan& plan_;
  Limits limits_;
  JobObserver& observer_;
  JobPhase phase_ = JobPhase::connecting;
  Nodes nodes_;             ///< Whom to send to, and what waits to be sent.
  Staging staging_;         ///< Files, before ranks start.
  Ranks ranks_;             ///< What is known of each rank.
  HangDiagnosis hang_;      ///< Who holds up the others.
  NodeStatus node_status_;  ///< What nodes tell of themselves,
  RankEvents rank_events_;  ///< of their ranks,
  MpiExchange exchange_;    ///< and one another.
  Suspension suspension_;
  Shutdown shutdown_;
  JobReport report_;
  Clock::time_point now_;
  Clock::time_point begun_;
};

}  // namespace adarun::launcher
