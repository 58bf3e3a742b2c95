// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/spawn.h"
#include "launcher/protocol/query.h"

namespace adarun::launcher::agent {

/// Answers the launcher's queries. Programs run one after another, since tools that lock a device would block
/// each other. Processes that a program leaves in its process group are killed after it ends. Passive: the
/// agent calls it from its loop.
class QueryRunner {
 public:
  /// How long to wait for more output after a program ended if a process that it left holds its pipes open.
  static constexpr std::chrono::milliseconds linger{250};

  explicit QueryRunner(Environment environment) : environment_(std::move(environment)) {}

  void take(protocol::Query query, Clock::time_point now);

  /// Registers what to wait for with `poll`.
  void watch(Poll& poll);

  /// A child was reaped with `status`; false if it is not the running program.
  bool reaped(pid_t pid, int status, Clock::time_point now);

  /// Finishes what is due, and starts the next program if none runs.
  void tick(Clock::time_point now);

  /// Whether a program, a child of this process, runs.
  bool running() const { return running_.has_value(); }

  /// The answers since the last call.
  std::vector<protocol::Answer> collect() { return std::exchange(answers_, {}); }

 private:
  struct Waiting {
    protocol::Query query;
    Clock::time_point deadline;
  };
  struct Running {
    Waiting order;
    Program program;
    Child child;
    protocol::Answer answer = {};
    std::optional<Clock::time_point> reaped_at = {};
    bool answered = false;
  };

  void start(Waiting order);
  void read_report();
  void read(base::FileDescriptor& from, std::string& into);
  void settle(Clock::time_point now);
  void answer(protocol::Outcome outcome, const std::string& reason);
  void refuse(const protocol::Query& query, protocol::Outcome outcome, const std::string& reason);

  Environment environment_;
  std::deque<Waiting> waiting_;
  std::optional<Running> running_;
  std::vector<protocol::Answer> answers_;
};

}  // namespace adarun::launcher::agent
