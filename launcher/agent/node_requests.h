// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "launcher/agent/base/clock.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/kept_output.h"
#include "launcher/agent/files/file_sender.h"
#include "launcher/agent/files/stage_receiver.h"
#include "launcher/agent/probe/query_runner.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// What a launcher asks of a node besides a job: answers to questions, files to be put there (Stage) and
/// fetched from there (Find, Fetch), the output that the agent of an earlier job could not deliver (Recall).
/// What comes when the end has begun was on its way before that was known, and is left. Borrows all that it
/// is given. Passive.
class NodeRequests {
 public:
  using Fail = std::function<void(protocol::StartFailure, const std::string&)>;

  /// Programs that answer questions have `environment`. `fail` is told of what this node cannot do.
  NodeRequests(Environment environment, Channel& channel, const Termination& termination, Fail fail);

  /// Takes a message that is for it; false where it is not. Throws protocol::Error where it comes out of
  /// turn.
  bool take(const protocol::Message& message);

  /// There is a job now, or no more to come: from here on questions are answered, and nothing else.
  void close() { is_open_ = false; }

  /// What to wait for.
  void watch(Poll& poll, Clock::time_point now);

  /// A child was reaped with `status`; false where it is no program of a question.
  bool reaped(pid_t pid, int status, Clock::time_point now) { return query_runner_.reaped(pid, status, now); }

  /// Goes on with questions; true where a program of one runs, which is a child of this process.
  bool answer(Clock::time_point now);

  /// Goes on with files and with what is recalled.
  void tick(Clock::time_point now);

 private:
  void stage(const std::function<void()>& step);
  void fetch(const std::function<void()>& order);
  void recall(const protocol::Recall& order);
  void send_recalled(Clock::time_point now);
  void send_fetched(Clock::time_point now);

  Channel& channel_;
  const Termination& termination_;
  Fail fail_;
  QueryRunner query_runner_;
  StageReceiver stage_receiver_;
  FileSender file_sender_;
  std::optional<KeptOutput> kept_output_;
  bool is_open_ = true;
};

}  // namespace adarun::launcher::agent
