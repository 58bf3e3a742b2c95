// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/base/signals.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/connection.h"
#include "launcher/agent/connection/diagnostic_sender.h"
#include "launcher/agent/connection/done_delivery.h"
#include "launcher/agent/connection/lease.h"
#include "launcher/agent/connection/reconnection.h"
#include "launcher/agent/job_resources.h"
#include "launcher/agent/local_ranks.h"
#include "launcher/agent/node_requests.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/agent/watchdog/heartbeat_pipe.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// One conversation with a launcher (launcher/protocol/messages.h), and every process that it leads to. One
/// loop on the main thread, in which nothing blocks; it gives each message and each event to the part that it
/// is for, and knows when all is over. However the conversation ends, `run` returns only when no descendant
/// of this process is left and the job's folders are removed. At most one per process.
///
/// The parts: Reconnection, Lease and DoneDelivery for the connection; NodeRequests for all that is no job;
/// JobResources and LocalRanks for the job; Termination for the end of its processes.
class Agent {
 public:
  /// How long one that was told to end waits for a launcher that is silent, at most.
  static constexpr std::chrono::seconds told_timeout{5};

  /// Speaks over `connection`; ranks inherit `environment`; `note` goes into the Hello. Throws agent::Error.
  Agent(Connection connection, const Environment& environment, HeartbeatPipe heartbeat_pipe,
        const std::string& note);

  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Runs the job to its end. The exit status: 0 when the launcher has had its Done without a Failed.
  int run();

 private:
  /// idle    -> running  the launcher has sent Start, which comes at most once.
  /// idle    -> leaving  the end has begun before a Start (Stop, a signal, a failure, no launcher), and no
  ///                     child is left.
  /// running -> leaving  every rank is over and no child is left: Done is sent.
  /// leaving -> gone     the launcher has Done, or is no longer waited for (DoneDelivery).
  /// idle, running -> gone  processes are left that no KILL ends (Termination::gave_up).
  enum class Phase { idle, running, leaving, gone };

  void turn();
  void watch(Poll& poll);
  void receive();
  void hang_up(const std::string& why);
  void handle(const protocol::Message& message);
  void start(const protocol::Start& order);
  void suspend(const protocol::Suspend& order);

  std::optional<Clock::time_point> lease_end() const;
  void check_lease();
  void pong();

  void take_signals();
  void reap();
  void settle();
  void end_processes();
  void finish();
  void leave();

  void end(TerminationMode pace);
  void fail(protocol::StartFailure failure, const std::string& message);
  void lose(const std::string& why);

  Signals signals_;
  HeartbeatPipe heartbeat_;
  Channel channel_;
  DiagnosticSender diagnostics_{channel_};
  Reconnection reconnection_;
  Lease lease_;
  Termination termination_;
  NodeRequests requests_;
  JobResources resources_;
  LocalRanks ranks_;
  std::optional<DoneDelivery> done_delivery_;  ///< Since the phase is `leaving`.

  Clock::time_point now_ = Clock::now();
  Phase phase_ = Phase::idle;
  int status_ = 0;
  bool failed_ = false;
  bool has_children_ = false;
  bool has_killed_ = false;
  std::optional<std::uint64_t> ping_;  ///< To be answered.
  protocol::JobSpec job_spec_;         ///< For the Start that follows it.
};

}  // namespace adarun::launcher::agent
