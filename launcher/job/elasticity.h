// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/failure.h"
#include "launcher/job/ranks.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {

struct JobContext;

/// Which ranks of a running job continue when others end. Each must have said that it can (StaysOn). Ranks
/// that ended may be started again; they are members as soon as they have said so, too. Passive.
class Elasticity {
 public:
  using Clock = std::chrono::steady_clock;

  /// What follows a failure.
  enum class Consequence {
    job_fails,
    too_few_left,  ///< The job fails, because fewer than the least would be left.
    none_knows,    ///< The job fails, because only ranks would be left that have not met the others yet.
    others_go_on,
  };

  /// `least`: the number of ranks below which the job fails; nothing: it fails with any rank.
  Elasticity(std::size_t ranks, std::optional<std::size_t> least) : ranks_(ranks), least_(least) {}

  /// Where a rank listens for the others: it has what they have. Returns whether it has come back with that.
  /// Throws protocol::Error if no rank listens there.
  bool listen_at(std::uint32_t rank, const std::string& endpoint);

  /// A rank has said that it can. Returns all ranks once each has: from now on the job continues without
  /// some.
  std::optional<protocol::Members> stay_on(std::uint32_t rank, const std::vector<RankRecord>& records);

  /// A rank has said so that was started again. It becomes a member with those that come at about the same
  /// time, because every change costs the others their step: by join(), some seconds later at the latest.
  void come(std::uint32_t rank, Clock::time_point now);

  /// Those that have come and are no members yet, ascending.
  std::vector<std::uint32_t> coming() const { return {coming_.begin(), coming_.end()}; }

  /// Whether they are to be members now.
  bool is_join_due(Clock::time_point now) const { return join_at_ && now >= *join_at_; }

  /// The members with those, unless none is left that has what they had.
  std::optional<protocol::Members> join(const std::vector<RankRecord>& records);

  /// A rank needs no others any more: it counts as one that has ended well, and is none of the members.
  void finalize(std::uint32_t rank) { finalized_.insert(rank); }

  /// Whether the others would need a rank that has ended: the job continues without it, and it had not
  /// finalized.
  bool is_missed(std::uint32_t rank) const { return has_left(rank) && finalized_.count(rank) == 0; }

  /// Whether a rank has ended, and maybe was started again, but is none of the members.
  bool is_outside(std::uint32_t rank) const { return has_left(rank) && stay_on_.count(rank) == 0; }

  /// Whether all that ranks do is over: those that still run have been started again, too late.
  bool is_over(const std::vector<RankRecord>& records) const;

  /// Whether others continue after the end of a rank, of a node, or of an agent that was told to end. Not if
  /// a rank ends with an exit code after it has finalized: that is an error that it has reported. The ranks
  /// of a node must be marked as lost.
  Consequence after(const Failure& failure, const std::vector<RankRecord>& records) const;

  /// Whether the failure is one that others may continue after, if enough are left.
  bool may_continue_after(const Failure& failure) const;

  /// The new members after such a failure: those that run. Nothing if there are none, as the others have
  /// ended well.
  std::optional<protocol::Members> without_ended(const std::vector<RankRecord>& records);

  /// Those that are left though they are too few: they may write a checkpoint before they are ended.
  std::optional<protocol::Members> too_few(const std::vector<RankRecord>& records) { return next(records); }

  /// A rank has lost its connection to another, of the members `generation`. If that is not soon because one
  /// has ended, the same ranks connect anew (reconnect()): at first soon, then up to a minute later, so that
  /// ranks which never connect cost little.
  void lose_peer(std::uint64_t generation, Clock::time_point now);

  /// The same members with another generation, if that is due.
  std::optional<protocol::Members> reconnect(const std::vector<RankRecord>& records, Clock::time_point now);

  /// When reconnect() or join() is due.
  std::optional<Clock::time_point> deadline() const;

  /// The ranks that run, have said that they stay on, and still need others, ascending.
  std::vector<std::uint32_t> members(const std::vector<RankRecord>& records) const;

  /// Whether the job has continued without this rank, which has not come back.
  bool has_left(std::uint32_t rank) const { return left_.count(rank) != 0; }

  /// All such ranks, ascending.
  std::vector<std::uint32_t> left() const { return {left_.begin(), left_.end()}; }

 private:
  /// Where a rank listens, and the generation in which it said so.
  struct Place {
    std::string endpoint;
    std::uint64_t since = 0;
  };

  bool is_complete() const { return generation_ > 0; }
  bool has_come(std::uint32_t rank) const { return places_.count(rank) != 0; }
  std::optional<protocol::Members> next(const std::vector<RankRecord>& records);

  std::size_t ranks_;
  std::optional<std::size_t> least_;
  std::map<std::uint32_t, Place> places_;  ///< Of ranks that have what the members have.
  std::set<std::uint32_t> stay_on_;
  std::set<std::uint32_t> coming_;  ///< Of these, those that are to be members.
  std::optional<Clock::time_point> join_at_;
  std::set<std::uint32_t> finalized_;
  std::set<std::uint32_t> left_;
  std::uint64_t generation_ = 0;  ///< 0: not all ranks have said that they stay on.
  std::optional<Clock::time_point> reconnect_at_;
  std::optional<Clock::time_point> reconnected_at_;  ///< Since the members last changed.
  std::chrono::milliseconds delay_{};                ///< Before that.
};

/// Tells ranks that continue when others end, and the user, of each change of the members, which Elasticity
/// decides. Passive. Borrows the context.
class MemberChanges {
 public:
  using Clock = std::chrono::steady_clock;

  explicit MemberChanges(const JobContext& context) : context_(context) {}

  /// Some have ended or are lost, for the reason `cause`. Returns whether others continue.
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

  /// Whether the others have continued without all that run on a node, or are about to.
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
