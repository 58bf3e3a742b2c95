// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/failure_policy.h"

#include <algorithm>
#include <set>

namespace adarun::launcher {
namespace {

using Kind = Failure::Kind;

const FailurePolicy::Verdict job_continues;

// The ranks of a node that has ended are not waited for, also those of which it is still heard that they have
// started.
void leave_ranks(std::uint32_t node, const JobContext& context) {
  for (const protocol::RankSpec& spec : context.plan.nodes[node].start.ranks) {
    context.hang_watch.leave_out(spec.rank);
    context.hang_watch.end(spec.rank);
  }
}

// Of a job whose ranks continue when others end (Elasticity).
class Elastic : public FailurePolicy {
 public:
  Elastic(const JobContext& context, NodeReplacement& replacement)
      : context_(context), elasticity_(context.elasticity), replacement_(replacement) {}

  Verdict after(const Failure& failure, JobPhase phase, Clock::time_point now) override;

  // Ranks come back.
  bool tells_end() const override {
    return context_.plan.options.rank_restarts > 0 || replacement_.is_possible();
  }
  bool is_over() override { return tells_end() && elasticity_.is_over(); }
  bool has_left(std::uint32_t rank) const override { return elasticity_.has_left(rank); }
  std::vector<std::uint32_t> left() const override { return elasticity_.left(); }

 private:
  bool has_done_its_part(std::uint32_t node) const;
  void continue_after(const Failure& failure, Clock::time_point now);
  std::string restart_missed(std::uint32_t rank, Clock::time_point now);
  Verdict end_as_last(const Failure& failure, const std::string& why) const;
  std::string describe_cause(const Failure& failure) const;

  const JobContext& context_;
  Elasticity& elasticity_;
  NodeReplacement& replacement_;
};

FailurePolicy::Verdict Elastic::after(const Failure& failure, JobPhase phase, Clock::time_point now) {
  const bool is_running = phase == JobPhase::running;
  if (failure.rank && elasticity_.has_left(*failure.rank) && !context_.restarts.has(*failure.rank))
    return job_continues;
  if (failure.kind == Kind::rank_failed && elasticity_.is_outside(*failure.rank)) {
    const std::string cause = describe_cause(failure);
    const std::string restart = is_running ? restart_missed(*failure.rank, now) : "";
    context_.observer.on_notice(cause + (restart.empty() ? "; it does not come back" : restart));
    return job_continues;
  }
  const bool is_of_node = !failure.rank && failure.node;
  if (is_running && is_of_node && has_done_its_part(*failure.node)) return job_continues;
  if (is_running && is_of_node && elasticity_.is_node_outside(*failure.node)) {
    lose_ranks(*failure.node, context_);
    replacement_.lose_outside(failure, now);
    return job_continues;
  }
  if (!is_running || !elasticity_.may_continue_after(failure)) return {failure};
  if (is_of_node) lose_ranks(*failure.node, context_);  // Its agent ends those that still run.
  switch (elasticity_.after(failure, now)) {
    case Elasticity::Consequence::others_go_on:
      continue_after(failure, now);
      return job_continues;
    case Elasticity::Consequence::too_few_left:
      elasticity_.tell_too_few();
      return end_as_last(failure, "fewer than --min-ranks " +
                                      std::to_string(*context_.plan.options.min_ranks) + " are left");
    case Elasticity::Consequence::none_knows:
      return end_as_last(failure, "no rank is left that the job could continue from");
    case Elasticity::Consequence::job_fails:
      break;
  }
  return {failure};
}

// Whether its ranks have all ended well, and it is needed no more: its agent stays only for those that might
// have been started again.
bool Elastic::has_done_its_part(std::uint32_t node) const {
  return tells_end() && has_ended_well(node, context_);
}

void Elastic::continue_after(const Failure& failure, Clock::time_point now) {
  const std::string cause = describe_cause(failure);
  if (!elasticity_.drop_ended(cause))
    return context_.observer.on_notice(cause + "; the others have ended well");
  std::string then;
  if (failure.rank)
    then = restart_missed(*failure.rank, now);
  else if (failure.node)
    then = replacement_.replace_if_gone(*failure.node, now);
  context_.observer.on_notice(cause + "; the job continues with " + elasticity_.describe_members() + then);
}

// The end of a sentence. Call while the job runs.
std::string Elastic::restart_missed(std::uint32_t rank, Clock::time_point now) {
  return elasticity_.is_missed(rank) ? context_.restarts.plan(rank, now) : "";
}

FailurePolicy::Verdict Elastic::end_as_last(const Failure& failure, const std::string& why) const {
  Failure last = failure;
  last.message = describe_cause(failure) + "; " + why;
  return {last, HeardFailure::stands};
}

// Not as the failure that ends a job: others may have come before it.
std::string Elastic::describe_cause(const Failure& failure) const {
  if (!failure.rank) return failure.message;
  return describe_rank(context_.plan, *failure.rank) + ": " +
         describe_end(context_.ranks.records()[*failure.rank]);
}

// Of a job whose roles have their own policies (RolePolicy). What happens in MPI ends the job in any role:
// the others wait there for all ranks.
class ByRole : public FailurePolicy {
 public:
  explicit ByRole(const JobContext& context)
      : context_(context), tells_end_(std::ranges::any_of(context.plan.options.roles, [](const Role& role) {
          return role.policy.background || role.policy.restarts > 0;
        })) {}

  Verdict after(const Failure& failure, JobPhase phase, Clock::time_point now) override;
  bool tells_end() const override { return tells_end_; }
  bool is_over() override;
  std::string describe_background() const override;
  void start(std::uint32_t rank, Clock::time_point now) override { context_.restarts.come_back(rank, now); }
  bool awaits(std::uint32_t rank) const override { return context_.restarts.is_awaited(rank); }
  bool has_left(std::uint32_t rank) const override { return left_.count(rank) != 0; }
  std::vector<std::uint32_t> left() const override { return {left_.begin(), left_.end()}; }
  bool is_background(std::uint32_t rank) const override {
    const Role* role = context_.plan.role_of(rank);
    return role != nullptr && role->policy.background;
  }
  std::vector<std::uint32_t> late() const override { return {late_.begin(), late_.end()}; }

 private:
  bool is_optional(std::uint32_t rank) const {
    const Role* role = context_.plan.role_of(rank);
    return role != nullptr && role->policy.optional;
  }
  bool continues_after(const Failure& failure, Clock::time_point now);
  bool is_waited_for_in_mpi(std::uint32_t rank) const;
  bool continues_without_rank(std::uint32_t rank, Clock::time_point now);
  bool continues_without_node(std::uint32_t node, const std::string& cause);
  std::optional<std::vector<std::uint32_t>> leave_node(std::uint32_t node);

  const JobContext& context_;
  const bool tells_end_;
  std::set<std::uint32_t> left_;
  std::set<std::uint32_t> late_;
  std::uint32_t next_ = 0;  // Ranks before it are not waited for any more.
};

FailurePolicy::Verdict ByRole::after(const Failure& failure, JobPhase phase, Clock::time_point now) {
  const bool is_of_rank = failure.kind == Kind::rank_failed;
  if (phase == JobPhase::running && continues_after(failure, now)) {
    if (!is_of_rank && failure.node) leave_ranks(*failure.node, context_);
    return job_continues;
  }
  if (phase == JobPhase::stopping && is_of_rank && !is_waited_for_in_mpi(*failure.rank) &&
      (is_optional(*failure.rank) || context_.restarts.left(*failure.rank) > 0))
    late_.insert(*failure.rank);
  return {failure};
}

bool ByRole::continues_after(const Failure& failure, Clock::time_point now) {
  if (failure.kind == Kind::rank_failed) return continues_without_rank(*failure.rank, now);
  const bool is_end_of_node = failure.kind == Kind::node_lost || failure.kind == Kind::could_not_start ||
                              failure.kind == Kind::not_found || failure.kind == Kind::not_executable;
  return is_end_of_node && failure.node && continues_without_node(*failure.node, failure.message);
}

bool ByRole::is_waited_for_in_mpi(std::uint32_t rank) const {
  const RankRecord& record = context_.ranks.records()[rank];
  return record.missed_in_mpi || record.left_mpi_open || context_.ranks.any_in_mpi_beside(rank);
}

bool ByRole::continues_without_rank(std::uint32_t rank, Clock::time_point now) {
  if (is_waited_for_in_mpi(rank)) return false;
  std::string consequence = context_.restarts.plan(rank, now);
  if (consequence.empty()) {
    if (!is_optional(rank)) return false;
    left_.insert(rank);
    consequence = "; the job continues, as the role is optional";
  }
  context_.ranks.bar_from_mpi(rank);
  context_.observer.on_notice(describe_rank(context_.plan, rank) + ": " +
                              describe_end(context_.ranks.records()[rank]) + consequence);
  return true;
}

bool ByRole::continues_without_node(std::uint32_t node, const std::string& cause) {
  for (const protocol::RankSpec& spec : context_.plan.nodes[node].start.ranks) {
    const RankRecord& record = context_.ranks.records()[spec.rank];
    const bool has_left_mpi = record.state == RankState::done;
    if (!has_left_mpi && (record.joined_mpi || context_.ranks.any_in_mpi_beside(spec.rank))) return false;
  }
  const auto leaving = leave_node(node);
  if (!leaving || (leaving->empty() && !tells_end_)) return false;
  for (const std::uint32_t rank : *leaving) {
    context_.ranks.bar_from_mpi(rank);
    context_.observer.on_left(rank);
  }
  context_.observer.on_notice(cause + (leaving->empty()
                                           ? "; all of its ranks had ended well"
                                           : "; the job continues, as its roles there are optional"));
  return true;
}

// The ranks of a node that leave, if the others can do without all of them: none of those that had ended
// well.
std::optional<std::vector<std::uint32_t>> ByRole::leave_node(std::uint32_t node) {
  std::vector<std::uint32_t> leaving;
  for (const protocol::RankSpec& spec : context_.plan.nodes[node].start.ranks) {
    if (context_.ranks.records()[spec.rank].state == RankState::done || has_left(spec.rank)) continue;
    if (!is_optional(spec.rank)) return std::nullopt;
    leaving.push_back(spec.rank);
  }
  left_.insert(leaving.begin(), leaving.end());
  return leaving;
}

bool ByRole::is_over() {
  if (!tells_end_) return false;
  const auto is_over = [this](std::uint32_t rank) {
    return is_background(rank) || has_left(rank) || (context_.ranks.has_ended(rank) && !awaits(rank));
  };
  while (next_ < context_.plan.world_size() && is_over(next_)) ++next_;
  return next_ == context_.plan.world_size();
}

std::string ByRole::describe_background() const {
  std::string names;
  std::size_t count = 0;
  for (const Role& role : context_.plan.options.roles) {
    const bool any_runs = std::ranges::any_of(role.ranks, [this](std::uint32_t rank) {
      const RankState state = context_.ranks.records()[rank].state;
      return state == RankState::running || state == RankState::waiting;
    });
    if (!role.policy.background || !any_runs) continue;
    names += (names.empty() ? "" : ", ") + role.name;
    ++count;
  }
  if (count == 0) return "";
  return count == 1 ? "role " + names + " ends" : "roles " + names + " end";
}

}  // namespace

std::unique_ptr<FailurePolicy> make_failure_policy(const JobContext& context, NodeReplacement& replacement) {
  const JobOptions& options = context.plan.options;
  if (options.min_ranks) return std::make_unique<Elastic>(context, replacement);
  if (!options.roles.empty()) return std::make_unique<ByRole>(context);
  return std::make_unique<FailurePolicy>();
}

void lose_ranks(std::uint32_t node, const JobContext& context) {
  context.ranks.lose(node);
  for (const protocol::RankSpec& spec : context.plan.nodes[node].start.ranks)
    context.hang_watch.end(spec.rank);
}

bool has_ended_well(std::uint32_t node, const JobContext& context) {
  return std::ranges::all_of(context.plan.nodes[node].start.ranks, [&context](const auto& spec) {
    return context.ranks.records()[spec.rank].state == RankState::done;
  });
}

}  // namespace adarun::launcher
