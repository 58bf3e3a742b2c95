// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "launcher/job/job_context.h"

namespace adarun::launcher {

/// Tells ranks that go on when others end, and the user, of each change of the members, which Elasticity
/// decides. Passive. Borrows the context.
class MemberChanges {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemberChanges(const JobContext& context) : context_(context) {}

  /// Some have ended or are lost, for the reason `cause`. Returns whether others go on.
  bool drop_ended(const std::string& cause);

  /// Too few are left: they may write a checkpoint before they are ended.
  void tell_too_few();

  /// A rank stays on that has been started, or started again. Call while the job runs.
  void stay_on(std::uint32_t rank, Clock::time_point now);

  /// A member listens for the others at an address; a rank that comes back is then with them. Throws
  /// protocol::Error if no rank listens there.
  void listen_at(std::uint32_t rank, const std::string& endpoint, Clock::time_point now);

  /// Tells of the changes that are due.
  void tick(Clock::time_point now);

  /// "6 of 8 ranks".
  std::string describe_members() const;

  /// Whether the others have gone on without all that run on a node, or are about to.
  bool is_outside(std::uint32_t node) const;

  /// Whether the others miss a rank of this node.
  bool is_missed(std::uint32_t node) const;

 private:
  void join();
  bool others_come_with(std::uint32_t rank) const;
  std::string describe_count(std::size_t ranks) const;

  const JobContext& context_;
};

}  // namespace adarun::launcher
