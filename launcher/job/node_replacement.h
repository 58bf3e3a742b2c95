// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "launcher/job/failure.h"
#include "launcher/job/job_context.h"
#include "launcher/job/member_changes.h"
#include "launcher/job/mpi_exchange.h"
#include "launcher/job/spare_joins.h"
#include "launcher/job/suspension.h"

namespace adarun::launcher {

/// Has spares take the places of nodes that are lost while ranks go on: looks for a spare, sends it files,
/// then those ranks of the node that the others miss. They come as ranks do that are started again. While
/// all processes are suspended no spare is looked for and no rank is started. Passive. Borrows the
/// constructor's arguments.
class NodeReplacement {
 public:
  using Clock = std::chrono::steady_clock;

  /// `take_place` is empty if the job has no spares.
  NodeReplacement(const JobContext& context, const MemberChanges& members, const MpiExchange& exchange,
                  const Suspension& suspension, SpareJoins::TakePlace take_place)
      : context_(context),
        members_(members),
        exchange_(exchange),
        suspension_(suspension),
        joins_(context.plan, context.nodes, std::move(take_place)) {}

  /// Whether spares join the job while it runs.
  bool is_possible() const { return joins_.are_possible(); }

  /// Whether what a node sends is of the one that was there, as the spare in its place has not said Hello.
  bool awaits(std::uint32_t node) const { return joins_.awaits(node); }

  /// Whether a spare has the place of a node, and has not been told to start ranks.
  bool has_no_ranks(std::uint32_t node) const { return joins_.awaits(node) || joins_.is_staging(node); }

  /// A node is lost, or its agent has ended. None of its ranks runs after `end`. Call while the job runs:
  /// otherwise deadline() stays in the past.
  void lose(std::uint32_t node, Clock::time_point end) { joins_.lose(node, end); }

  /// A node has sent Hello: if it is an awaited spare, it is sent files.
  void greet(std::uint32_t node, Clock::time_point now);

  /// Throws protocol::Error if an agent that has no ranks yet speaks of some.
  void require_ranks_of(std::uint32_t node, const protocol::Message& message) const;

  /// Handles a message from a node; false if it is not about the files of a spare, which is started when it
  /// has the last one, and given up if one cannot be read. Throws protocol::Error as Staging does.
  bool take(std::uint32_t node, const protocol::Message& message, Clock::time_point now);

  /// A node is lost, or is of no use, none of whose ranks is a member: the members stay as they are.
  void lose_outside(const Failure& failure, Clock::time_point now);

  /// Looks for a spare for a node if none of its ranks can run any more. Returns the end of a sentence that
  /// says which takes its place, or why none does; empty if that is not known yet, or none is needed.
  std::string replace_if_gone(std::uint32_t node, Clock::time_point now);

  /// Does the same for all nodes, and tells the user.
  void replace_gone(Clock::time_point now);

  /// Reads more of the files that spares are sent; gives a spare up if one cannot be read.
  void read_files(Clock::time_point now);

  /// Starts ranks on spares that got their last file while the job was suspended.
  void start_ready(Clock::time_point now);

  /// The job is being stopped. Spares that have been sent nothing stay for another attempt.
  void stop();

  /// When to call replace_gone() and read_files().
  std::optional<Clock::time_point> deadline(Clock::time_point now) const {
    return suspension_.is_on() ? std::nullopt : joins_.deadline(now);
  }

 private:
  std::string replace(std::uint32_t node);
  void start_if_ready(std::uint32_t node, Clock::time_point now);
  void end_idle(std::uint32_t node, Clock::time_point now);
  void give_up(std::uint32_t node, const std::string& why, Clock::time_point now);

  const JobContext& context_;
  const MemberChanges& members_;
  const MpiExchange& exchange_;
  const Suspension& suspension_;
  SpareJoins joins_;
};

}  // namespace adarun::launcher
