// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/job.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// What the ranks of a fake cluster do, and which faults occur: an MPI job with fences at its start and its
/// end.
struct Scenario {
  std::size_t fences = 3;
  std::size_t fence_bytes_per_rank =
      400;  ///< What Open MPI 4.1 puts into the first one; the others are empty.
  std::size_t environment_bytes = 3'000;  ///< Of each rank, as its agent reports it.
  std::size_t lines = 10;                 ///< Lines that each rank prints.

  std::optional<std::uint32_t> failing_rank = {};  ///< Exits 7 before the last fence.
  std::optional<std::uint32_t> lost_node = {};     ///< Is lost before the last fence.
  std::optional<std::uint32_t> slow_node = {};     ///< Connects half a minute after the others.
  std::optional<std::uint32_t> hanging_rank = {};  ///< Never reaches the last fence.
};

/// The nodes of a job in one process, as the launcher sees them: it receives what a Job sends and gives the
/// answers that agents would send. Nothing is started and nothing blocks. Borrows the plan.
class FakeCluster {
 public:
  using Clock = Job::Clock;

  FakeCluster(const Plan& plan, const Scenario& scenario);

  /// The next message of a node; nothing if all nodes wait for the launcher.
  std::optional<TransportEvent> next();

  /// Receives a message from the job.
  void take(const Outgoing& out);

  /// Advances the time; slow nodes connect.
  void pass(Clock::duration time);

 private:
  struct Node {
    std::size_t fences = 0;  ///< Fences that it has entered.
    bool over = false;
  };

  void say(std::uint32_t node, protocol::Message message) { said_.push_back({node, std::move(message)}); }
  void answer(std::uint32_t node, const protocol::Message& message);
  void start(std::uint32_t node);
  void enter_fence(std::uint32_t node);
  void proceed(std::uint32_t node);
  void exit(std::uint32_t node, std::uint32_t rank, int code, bool stopped);
  void finish(std::uint32_t node, bool stopped);
  const std::vector<protocol::RankSpec>& ranks_of(std::uint32_t node) const;
  bool holds(std::uint32_t node, const std::optional<std::uint32_t>& rank) const;

  const Plan& plan_;
  Scenario scenario_;
  std::vector<Node> nodes_;
  std::deque<TransportEvent> said_;
  bool slow_one_is_there_ = false;
  std::vector<std::string> environment_;
};

/// Drives `job` on `cluster` to its end. When no node has a message, the clock is set to the job's next
/// deadline. `deal(event)` passes each event to the job, `sent(out)` sees what it sends. Returns the time
/// that the job has taken by that clock.
Job::Clock::duration drive(Job& job, FakeCluster& cluster, Job::Clock::time_point begin,
                           const std::function<void(const TransportEvent&, Job::Clock::time_point)>& deal,
                           const std::function<void(const Outgoing&)>& sent);

}  // namespace adarun::launcher
