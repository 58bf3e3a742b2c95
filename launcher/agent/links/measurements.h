// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/query.h"

namespace adarun::launcher::agent {

/// Answers the launcher's questions about links and speed (listen, link, speed), each by a process of its
/// own. What is wrong with a question is its answer. Passive: the agent calls it from its loop.
class Measurements {
 public:
  /// Whether a question is one of these.
  static bool is_for(protocol::Question question);

  void take(const protocol::Query& query, Clock::time_point now);

  /// Registers what to wait for with `poll`.
  void watch(Poll& poll);

  /// A child was reaped; false if it is not one of these processes.
  bool reaped(pid_t pid);

  /// Answers what is due.
  void tick(Clock::time_point now);

  /// Whether one of these processes, a child of this one, runs.
  bool running() const { return server_ > 0 || !workers_.empty(); }

  /// The answers since the last call.
  std::vector<protocol::Answer> collect() { return std::exchange(answers_, {}); }

 private:
  struct Worker {
    pid_t pid = -1;  ///< The process that computes the answer.
    base::FileDescriptor result;
    protocol::Query query = {};
    Clock::time_point deadline = {};
    std::string frame = {};  ///< What it has said.
    bool answered = false;
  };

  static Worker fork_worker(const std::function<protocol::Answer()>& work, int kept = -1);
  void listen(const protocol::Query& query);
  void start(const protocol::Query& query, Clock::time_point now);
  void read(pid_t pid);
  std::vector<Worker>::iterator find(pid_t pid);
  void answer(Worker& worker, protocol::Outcome outcome, const std::string& reason);

  std::vector<Worker> workers_;
  pid_t server_ = -1;  ///< Serves links; ended with the agent's other processes.
  std::vector<protocol::Answer> answers_;
};

}  // namespace adarun::launcher::agent
