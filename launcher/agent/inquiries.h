// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "launcher/agent/clock.h"
#include "launcher/agent/environment.h"
#include "launcher/agent/poll.h"
#include "launcher/agent/spawn.h"
#include "launcher/posix/file_descriptor.h"
#include "launcher/wire/query.h"

namespace adarun::agent {

/// The launcher's questions, from their arrival to their answers. Programs run one after another, since tools
/// that lock a device would hinder each other; what a program leaves in its process group is killed with it.
/// Passive: the agent calls it from its loop.
class Inquiries {
 public:
  /// How long output is waited for after a program ended, where a process it left holds its pipes open.
  static constexpr std::chrono::milliseconds linger{250};

  explicit Inquiries(Environment environment) : environment_(std::move(environment)) {}

  void take(wire::Query query, Clock::time_point now);

  /// What to wait for.
  void watch(Poll& poll);

  /// A child was reaped with `status`; false where it is none of these programs.
  bool reaped(pid_t pid, int status, Clock::time_point now);

  /// Does what is due, and starts the next program when none runs.
  void tick(Clock::time_point now);

  /// Whether a program runs, which is a child of this process.
  bool running() const { return running_.has_value(); }

  /// The answers since the last call.
  std::vector<wire::Answer> collect() { return std::exchange(answers_, {}); }

 private:
  struct Waiting {
    wire::Query query;
    Clock::time_point deadline;
  };
  struct Running {
    Waiting order;
    Program program;
    Child child;
    wire::Answer answer;
    std::optional<Clock::time_point> reaped_at;
    bool answered = false;
  };

  void start(Waiting order);
  void read_report();
  void read(posix::FileDescriptor& from, std::string& into);
  void settle(Clock::time_point now);
  void answer(wire::Outcome outcome, const std::string& reason);
  void refuse(const wire::Query& query, wire::Outcome outcome, const std::string& reason);

  Environment environment_;
  std::deque<Waiting> waiting_;
  std::optional<Running> running_;
  std::vector<wire::Answer> answers_;
};

}  // namespace adarun::agent
