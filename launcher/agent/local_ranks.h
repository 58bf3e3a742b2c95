// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/agent/ranks/rank_process.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The ranks of this node, each from its fork until its last output and its Exited are sent. While the
/// channel is full, their output is not read. Borrows its arguments. Passive.
class LocalRanks {
 public:
  using Fail = std::function<void(protocol::StartFailure, const std::string&)>;

  /// `fail` is called for a rank whose program could not be executed.
  LocalRanks(Channel& channel, DiagnosticSender& diagnostics, Fail fail)
      : channel_(channel), diagnostics_(diagnostics), fail_(std::move(fail)) {}

  void add(RankProcess rank) { ranks_.push_back(std::move(rank)); }
  std::size_t count() const { return ranks_.size(); }

  /// The process that a rank had whose end was sent; nothing: it has not ended, or is none of these.
  std::optional<pid_t> ended(std::uint32_t rank) const;

  /// The same as add() for such a rank, which is started again: its output follows that of the process
  /// before.
  void replace(RankProcess rank);

  /// Registers what to wait for with `poll`: reports and output.
  void watch(Poll& poll, Clock::time_point now);

  /// Passes bytes for the stdin of a rank on to it. Throws protocol::Error if it is none of this node, or did
  /// not want them.
  void feed(const protocol::Input& input);

  /// Reads the results of all starts. Call before children are reaped: whether a process has executed its
  /// program is seen as long as it has not been.
  void read_reports();

  /// Ranks that are ending now were not stopped by us, whatever reaped() is told. Reads the results of starts
  /// first, and calls `fail` last.
  void note_those_ending();

  /// The child `pid` was reaped with `status`; it need not be a rank.
  void reaped(pid_t pid, int status, bool stopped_by_us, Clock::time_point now);

  /// The child `pid`, which need not be a rank, was stopped by a signal, or continues if that is 0: tells the
  /// launcher of ranks.
  void halted(pid_t pid, int signal);

  /// Sends what is due: first the messages of `mpi`, then output, then Exited for ranks that ended and have
  /// no more output.
  void settle(MpiServers& mpi, Clock::time_point now);

  /// Sends a signal to the process of each running rank, not to what that has started. Throws protocol::Error
  /// if there is no such signal.
  void signal(int number);

  /// The process groups of the running ranks.
  std::vector<pid_t> groups() const;

  /// The processes that ranks which have ended well left running.
  protocol::LeftRunning left() const;

  /// Whether every rank has ended and everything about it was sent.
  bool over() const;

 private:
  void note_hold_up(bool held_up, Clock::time_point now);
  std::optional<protocol::Failed> read_report(RankProcess& rank);
  std::vector<protocol::Failed> take_failures();
  void fail(const std::vector<protocol::Failed>& failures) const;
  void settle_rank(RankProcess& rank, const MpiServers& mpi, Clock::time_point now);

  Channel& channel_;
  DiagnosticSender& diagnostics_;
  Fail fail_;
  std::list<RankProcess> ranks_;
  std::optional<Clock::time_point> held_up_since_;
};

}  // namespace adarun::launcher::agent
