// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/hang_diagnosis.h"
#include "launcher/job/mpi_exchange.h"
#include "launcher/job/node_clock.h"
#include "launcher/job/observer.h"
#include "launcher/job/ranks.h"
#include "launcher/job/report.h"
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
  bool suspended() const { return moving_.empty(); }

  /// The user is told so, and which nodes have not said it.
  void say_suspended();

  /// The launcher goes on, and every process with it. The time since on_suspend is none of the job's.
  void on_continue(Clock::time_point now);

  /// Events wait to be taken in, since the observer has no room.
  void on_held_up(Clock::time_point now) { hang_.watch().held_up(now); }

  /// To be called when `deadline()` has come.
  void on_time(Clock::time_point now);

  std::vector<Outgoing> take_outgoing() { return nodes_.take_outgoing(); }
  std::optional<Clock::time_point> deadline() const;
  bool ending() const { return phase_ >= Phase::stopping; }
  bool ended() const { return phase_ == Phase::ended; }

  /// Complete once ended().
  const Report& report() const { return report_; }

 private:
  enum class Phase { connecting, running, stopping, ended };

  // conversation.cpp: what comes from the nodes. (suspension.cpp: on_suspend and what follows.)
  void on_any_message(std::uint32_t node, const protocol::Message& message);
  void on_message(std::uint32_t node, const protocol::Message& message);
  void on_hello(std::uint32_t node, const protocol::Hello& hello);
  void on_ready(std::uint32_t node, const protocol::Ready& ready);
  void on_output(const protocol::Output& output);
  void on_started(const protocol::Started& started);
  void on_exited(const protocol::Exited& exited);
  void on_joined(const protocol::Joined& joined);
  void on_answer(const protocol::Answer& answer);
  void on_lost(std::uint32_t node, const std::string& reason);
  void on_cut(std::uint32_t node, const std::string& reason);
  void on_resumed(std::uint32_t node);
  void fail_if_a_rank_is_missed();

  // job.cpp
  void start_if_all_ready();
  void on_staging();
  void fail(const Failure& failure);
  void stop(bool at_once);
  void give_up_on_silent_nodes();
  void end_if_all_gone();
  void end();
  void refuse_silent_ends();
  void find_first_failure();

  const Plan& plan_;
  Limits limits_;
  JobObserver& observer_;
  Phase phase_ = Phase::connecting;
  Nodes nodes_;
  Staging staging_;
  std::set<std::uint32_t> cut_;     ///< Nodes that are being looked for,
  std::set<std::uint32_t> ready_;   ///< that have said Ready,
  std::set<std::uint32_t> failed_;  ///< and Failed.
  Ranks ranks_;
  HangDiagnosis hang_;
  MpiExchange exchange_;
  std::set<std::uint32_t> moving_;  ///< Nodes that are to stop their processes.
  std::optional<Clock::time_point> suspended_at_;
  std::vector<NodeClock> clocks_;   ///< Of each node.
  std::set<std::string> warnings_;  ///< Of nodes, as far as they were told.
  Report report_;
  Clock::time_point now_;
  Clock::time_point begun_;
  std::optional<Clock::time_point> give_up_;  ///< When stopping no longer waits for nodes that are silent.
};

}  // namespace adarun::launcher
