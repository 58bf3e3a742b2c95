// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/job_context.h"
#include "launcher/job/mpi_exchange.h"
#include "launcher/job/suspension.h"
#include "launcher/protocol/nodes.h"
#include "launcher/stage/staging.h"

namespace adarun::launcher {

/// Has spares take the places of nodes that a running job has lost while ranks continue: looks for a spare,
/// sends it files, then those ranks of the node that the others miss. They come as ranks do that are started
/// again. While all processes are suspended no spare is looked for and no rank is started. States of a node
/// that is lost:
///
///     gone     -> awaited   its ranks cannot run any more, and a spare takes its place
///     awaited  -> staging   the spare has sent Hello, and is sent files
///     staging  -> started   it has all files, and is sent its ranks
///     any      -> gone      the spare is lost, too
///
/// Passive. Borrows the constructor's arguments.
class NodeReplacement {
 public:
  using Clock = std::chrono::steady_clock;

  /// Puts a spare in the place of a node of the plan that is lost, there and in the transport. Returns why
  /// not; empty: it has. The node's next message is then the Hello of the spare.
  using TakePlace = std::function<std::string(std::uint32_t node)>;

  /// `take_place` is empty if the job has no spares.
  NodeReplacement(const JobContext& context, const MpiExchange& exchange, const Suspension& suspension,
                  TakePlace take_place)
      : context_(context), exchange_(exchange), suspension_(suspension), take_place_(std::move(take_place)) {}

  /// Whether spares join the job while it runs.
  bool is_possible() const { return static_cast<bool>(take_place_); }

  /// Whether what a node sends is of the one that was there, as the spare in its place has not said Hello.
  bool awaits(std::uint32_t node) const { return awaited_.count(node) != 0; }

  /// Whether a spare has the place of a node, and has not been told to start ranks.
  bool has_no_ranks(std::uint32_t node) const { return awaits(node) || is_staging(node); }

  /// A node is lost, or its agent has ended. None of its ranks runs after `end`; a spare that has not been
  /// started runs nothing. Call while the job runs: otherwise deadline() stays in the past.
  void lose(std::uint32_t node, Clock::time_point end);

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

  /// When to call replace_gone() and read_files(); `now` while files are being read.
  std::optional<Clock::time_point> deadline(Clock::time_point now) const;

 private:
  bool is_staging(std::uint32_t node) const { return staging_.count(node) != 0; }
  std::vector<std::uint32_t> spares_that(bool (Staging::*are)() const) const;
  std::string replace(std::uint32_t node);
  void start_if_ready(std::uint32_t node, Clock::time_point now);
  void end_idle(std::uint32_t node, Clock::time_point now);
  void give_up(std::uint32_t node, const std::string& why, Clock::time_point now);

  const JobContext& context_;
  const MpiExchange& exchange_;
  const Suspension& suspension_;
  TakePlace take_place_;
  std::map<std::uint32_t, Clock::time_point> gone_;  ///< From then on; until a spare has been looked for.
  std::set<std::uint32_t> awaited_;                  ///< A spare has the place, and sends Hello next.
  std::map<std::uint32_t, Staging> staging_;
};

}  // namespace adarun::launcher
