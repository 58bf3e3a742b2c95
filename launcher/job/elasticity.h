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

namespace adarun::launcher {

struct JobContext;

/// Which ranks of a running job continue when others end (`--min-ranks`). Each must have said that it can
/// (StaysOn). Ranks that ended may be started again; they are members as soon as they have said so, too.
/// Tells the ranks, and the user, of each change of the members. Passive. Borrows the context.
class Elasticity {
 public:
  using Clock = std::chrono::steady_clock;

  /// What follows a failure.
  enum class Consequence {
    job_fails,
    too_few_left,  ///< The job fails, because fewer than the least would be left.
    none_knows,    ///< The job fails, because at most ranks would be left that have not met the others yet.
    others_go_on,
  };

  explicit Elasticity(const JobContext& context) : context_(context) {}

  /// Where a rank that runs listens for the others: it has what they have; one that comes back is then with
  /// them. Throws protocol::Error if no rank listens there.
  void listen_at(std::uint32_t rank, const std::string& endpoint, Clock::time_point now);

  /// A rank has said that it can. Once each has, the job continues without some. One that was started again
  /// becomes a member with those that come at about the same time, because every change costs the others
  /// their step: some seconds later at the latest. Call while the job runs.
  void stay_on(std::uint32_t rank, Clock::time_point now);

  /// A rank needs no others any more: it counts as one that has ended well, and is none of the members.
  void finalize(std::uint32_t rank) { finalized_.insert(rank); }

  /// A rank has ended well: it is done, and does not end the job, even if fewer than the least are left. If
  /// those continue for some seconds, the user is told once. Call while the job runs.
  void end_well(Clock::time_point now);

  /// Whether the others would need a rank that has ended: the job continues without it, and it had not
  /// finalized.
  bool is_missed(std::uint32_t rank) const { return has_left(rank) && finalized_.count(rank) == 0; }

  /// Whether a rank has ended, and maybe was started again, but is none of the members.
  bool is_outside(std::uint32_t rank) const { return has_left(rank) && stay_on_.count(rank) == 0; }

  /// Whether the others have continued without all that run on a node, or are about to.
  bool is_node_outside(std::uint32_t node) const;

  /// Whether the others miss a rank of this node.
  bool is_node_missed(std::uint32_t node) const;

  /// Whether all that ranks do is over: those that still run have been started again, too late.
  bool is_over() const;

  /// Whether others may continue after the end of a rank, of a node, or of an agent that was told to end.
  bool may_continue_after(const Failure& failure) const;

  /// Whether they do so after such a failure. Not if a rank ends with an exit code after it has finalized:
  /// that is an error that it has reported. If none is left, those that have ended well count only if that
  /// was at about the same time: not if the others then continued for some seconds, or connected anew. A node
  /// that is lost may have been silent for its lease; if no rank but those of before has failed, nothing is.
  /// The ranks of a node must be marked as lost.
  Consequence after(const Failure& failure, Clock::time_point now) const;

  /// Some have ended or are lost, for the reason `cause`: the members are those that run. Returns whether
  /// there are any; if not, the others have ended well.
  bool drop_ended(const std::string& cause);

  /// Too few are left: they may write a checkpoint before they are ended.
  void tell_too_few() { change(""); }

  /// A rank has lost its connection to another, of the members `generation`. If that is not soon because one
  /// has ended, the same ranks connect anew: at first soon, then up to a minute later, so that ranks which
  /// never connect cost little.
  void lose_peer(std::uint64_t generation, Clock::time_point now);

  /// Makes the changes that are due.
  void tick(Clock::time_point now);

  /// When the next one is.
  std::optional<Clock::time_point> deadline() const;

  /// The ranks that run, have said that they stay on, and still need others, ascending.
  std::vector<std::uint32_t> members() const;

  /// "6 of 8 ranks".
  std::string describe_members() const { return describe_count(members().size()); }

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
  bool is_ending(const Failure& failure, Clock::time_point now) const;
  bool has_come(std::uint32_t rank) const { return places_.count(rank) != 0; }
  bool others_come_with(std::uint32_t rank) const;
  void join();
  bool change(const std::string& why);
  std::string describe_count(std::size_t ranks) const;
  void tell_of_few();

  const JobContext& context_;
  std::map<std::uint32_t, Place> places_;  ///< Of ranks that have what the members have.
  std::set<std::uint32_t> stay_on_;
  std::set<std::uint32_t> coming_;  ///< Of these, those that are to be members.
  std::optional<Clock::time_point> join_at_;
  std::set<std::uint32_t> finalized_;
  std::set<std::uint32_t> left_;
  std::uint64_t generation_ = 0;                   ///< 0: not all ranks have said that they stay on.
  std::optional<Clock::time_point> ended_at_;      ///< When the last rank ended well, unless others ...
  std::optional<Clock::time_point> joint_end_at_;  ///< ... connected anew. All end until then.
  bool told_of_few_ = false;
  std::optional<Clock::time_point> reconnect_at_;
  std::optional<Clock::time_point> reconnected_at_;  ///< Since the members last changed.
  std::chrono::milliseconds delay_{};                ///< Before that.
};

}  // namespace adarun::launcher
