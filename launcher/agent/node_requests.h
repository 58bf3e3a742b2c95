// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/kept_output.h"
#include "launcher/agent/files/file_sender.h"
#include "launcher/agent/files/stage_receiver.h"
#include "launcher/agent/links/measurements.h"
#include "launcher/agent/probe/query_runner.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Handles the launcher's requests to a node that are not part of a job: queries (Query), files to store
/// (Stage) and to fetch (Find, Fetch), and the output that the agent of an earlier job could not deliver
/// (UndeliveredRequest, DropUndelivered). Queries and file requests that arrive after termination has begun
/// were sent before the launcher knew of it; they are ignored. Borrows its arguments. Passive.
class NodeRequests {
 public:
  using Fail = std::function<void(protocol::StartFailure, const std::string&)>;

  /// Programs run for queries get `environment`. `fail` is called when a request cannot be carried out.
  NodeRequests(Environment environment, Channel& channel, const Termination& termination, Fail fail);

  /// Handles a message if it is one of these; false if not. Throws protocol::Error if it is not allowed now.
  bool take(const protocol::Message& message);

  /// A job has started, or the agent is ending: from now on only queries are accepted, and nothing is
  /// measured.
  void close() { is_open_ = false; }

  /// Registers what to wait for with `poll`.
  void watch(Poll& poll, Clock::time_point now);

  /// A child was reaped with `status`; false if it was none of a query.
  bool reaped(pid_t pid, int status, Clock::time_point now) {
    return query_runner_.reaped(pid, status, now) || measurements_.reaped(pid);
  }

  /// Continues with queries; true while a child of this process runs for one.
  bool answer(Clock::time_point now);

  /// Continues with files and undelivered output.
  void tick(Clock::time_point now);

 private:
  void query(const protocol::Query& query);
  void stage(const std::function<void()>& step);
  void fetch(const std::function<void()>& order);
  void recall(const protocol::UndeliveredRequest& order);
  void send_undelivered(Clock::time_point now);
  void send_fetched(Clock::time_point now);

  Channel& channel_;
  const Termination& termination_;
  Fail fail_;
  QueryRunner query_runner_;
  Measurements measurements_;
  StageReceiver stage_receiver_;
  FileSender file_sender_;
  std::optional<KeptOutput> kept_output_;
  bool is_open_ = true;
};

}  // namespace adarun::launcher::agent
