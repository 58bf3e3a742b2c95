// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/diagnostic_sender.h"
#include "launcher/agent/mpi/mpi_servers.h"
#include "launcher/agent/ranks/rank_process.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The ranks of this node, each from its fork until the launcher was sent its last byte and its end. A
/// channel that is full holds them up: what they write is not read. Borrows all that it is given. Passive.
class LocalRanks {
 public:
  using Fail = std::function<void(protocol::StartFailure, const std::string&)>;

  /// `fail` is told of a rank whose program could not be executed.
  LocalRanks(Channel& channel, DiagnosticSender& diagnostics, Fail fail)
      : channel_(channel), diagnostics_(diagnostics), fail_(std::move(fail)) {}

  void add(RankProcess rank) { ranks_.push_back(std::move(rank)); }

  /// What to wait for: reports and output.
  void watch(Poll& poll, Clock::time_point now);

  /// The child `pid` was reaped with `status`; it need not be a rank.
  void reaped(pid_t pid, int status, bool stopped_by_us, Clock::time_point now);

  /// Sends what is due: first what ranks have said to `mpi`, then their output, and the end of those that
  /// have nothing more to come.
  void settle(MpiServers& mpi, Clock::time_point now);

  /// Sends a signal to the process group of each rank that runs. Throws protocol::Error where there is no
  /// such signal.
  void signal(int number);

  /// The process groups of the ranks that run.
  std::vector<pid_t> groups() const;

  /// Nothing is to be expected of any of them any more.
  bool over() const;

 private:
  void note_hold_up(bool held_up, Clock::time_point now);
  void read_report(RankProcess& rank);
  void settle_rank(RankProcess& rank, const MpiServers& mpi, Clock::time_point now);

  Channel& channel_;
  DiagnosticSender& diagnostics_;
  Fail fail_;
  std::list<RankProcess> ranks_;
  std::optional<Clock::time_point> held_up_since_;
};

}  // namespace adarun::launcher::agent
