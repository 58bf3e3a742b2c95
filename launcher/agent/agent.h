// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/lease.h"
#include "launcher/agent/connection/reconnection.h"
#include "launcher/agent/job_resources.h"
#include "launcher/agent/local_ranks.h"
#include "launcher/agent/node_requests.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/agent/watchdog/watchdog.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Runs one conversation with a launcher (launcher/protocol/messages.h) and owns every process started in it.
/// A single loop on the main thread, in which nothing blocks, passes messages and events to the parts below
/// and decides when the agent is done. However the conversation ends, `run` returns only when no descendant
/// of this process is left (or SIGKILL does not end one: Termination::gave_up) and the job's folders are
/// removed. At most one per process.
///
/// The parts: Reconnection, Lease and DoneDelivery for the connection; NodeRequests for requests that belong
/// to no job; JobResources and LocalRanks for the job; Termination for the end of its processes.
class Agent {
 public:
  /// Upper bound of the lease once a signal has asked the agent to end.
  static constexpr std::chrono::seconds told_timeout{5};

  /// Uses `channel`; ranks inherit `environment`; `note` goes into the Hello. Throws agent::Error.
  Agent(Channel channel, const Environment& environment, HeartbeatPipe heartbeat_pipe,
        const std::string& note);

  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Runs until the conversation is over. Returns the exit status: 0 if Done was delivered and nothing
  /// failed. If it stays for another attempt, a fresh program takes the place of this one (exec_again.h).
  /// Throws agent::Error if that fails.
  int run();

 private:
  /// idle    -> running  Start received; at most one per conversation.
  /// idle    -> leaving  termination began before a Start (Stop, a signal, a failure, no launcher), and no
  ///                     child is left: Done is sent.
  /// running -> leaving  every rank is over (and none may be started again, or termination began) and no
  ///                     child is left: Done is sent. Processes that ranks left running are told once, and
  ///                     run until Stop.
  /// leaving -> gone     Done or Ended was delivered or given up (DoneDelivery), and the agent does not stay.
  /// leaving -> again    Ended was delivered, and a fresh program can continue the stream.
  /// idle, running -> gone  processes are left that KILL does not end (Termination::gave_up).
  enum class Phase { idle, running, leaving, gone, again };

  void turn();
  void beat(Clock::time_point now);
  void watch(Poll& poll);
  void receive();
  void hang_up(const std::string& why);
  void handle(const protocol::Message& message);
  void start(const protocol::Start& order);
  void start_ranks();
  bool awaits_next_attempt() const;
  bool may_start_ranks() const;
  bool ranks_over() const;
  void start_again(const protocol::StartAgain& order);
  void suspend(const protocol::Suspend& order);

  std::optional<Clock::time_point> lease_end() const;
  void excuse(Clock::duration late);
  bool waits_for_busy_launcher() const;
  void check_lease();
  std::optional<Clock::time_point> word_due() const;
  void pong();

  void take_signals();
  void reap();
  void settle();
  void end_processes();
  void finish();
  void leave();

  void end(TerminationMode pace);
  void name_ending(TerminationMode pace);
  void fail(protocol::StartFailure failure, const std::string& message);
  void lose(const std::string& why);

  const base::FileLimit
      file_limit_;  ///< For four descriptors of each rank, which itself has that of spawn().
  Signals signals_;
  const Environment environment_;
  const std::string note_;
  HeartbeatPipe heartbeat_;
  Channel channel_;
  const bool follows_attempt_;  ///< Which ended, in this process.
  DiagnosticSender diagnostics_{channel_};
  Reconnection reconnection_;
  Lease lease_;
  Termination termination_;
  NodeRequests requests_;
  JobResources resources_;
  LocalRanks ranks_;
  std::optional<DoneDelivery> done_delivery_;  ///< Set from phase `leaving` on.

  Clock::time_point now_ = Clock::now();
  Clock::time_point polled_at_;  ///< When the last poll began.
  Phase phase_ = Phase::idle;
  int status_ = 0;
  bool failed_ = false;
  bool stays_ = false;                      ///< For another attempt once this one has ended.
  bool may_be_replaced_ = false;            ///< Others may start the same ranks once the lease is over.
  std::optional<StreamPosition> position_;  ///< Set in phase `again`.
  bool has_children_ = false;
  bool has_killed_ = false;
  bool told_left_ = false;                   ///< That processes run on which ranks have left.
  std::optional<std::uint64_t> ping_;        ///< Sequence of a Ping not yet answered.
  protocol::JobSpec job_spec_;               ///< For the Start that follows it.
  std::deque<protocol::RankSpec> to_start_;  ///< Ranks that have not been started yet.
  Clock::time_point starting_since_;
  std::vector<protocol::RankSpec> restartable_;  ///< Ranks that may be started again.
};

}  // namespace adarun::launcher::agent
