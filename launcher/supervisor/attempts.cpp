// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/attempts.h"

#include <algorithm>
#include <utility>

#include "base/describe.h"
#include "launcher/job/rank_restarts.h"

namespace adarun::launcher {
namespace {

std::string describe(const Membership::Change& change, const Membership& membership) {
  std::vector<std::uint32_t> joined = change.joined;
  joined.insert(joined.end(), change.added.begin(), change.added.end());
  return change_text(membership.names_of(change.left), membership.names_of(change.removed),
                     membership.names_of(joined));
}

}  // namespace

bool may_run_again(const JobReport& report, const Restarts& restarts) {
  using Kind = Failure::Kind;
  // The user may have interrupted the job while it was being stopped after a failure.
  if (report.failures.empty() || report.was_cut_short()) return false;
  const Kind kind = report.failures.front().kind;
  if (kind == Kind::resized) return true;
  if (report.is_refused || restarts.never_on.count(report.exit_status()) != 0) return false;
  return kind == Kind::rank_failed || kind == Kind::aborted || kind == Kind::node_lost ||
         kind == Kind::hung || kind == Kind::could_not_start;
}

Attempts::Attempts(const JobOptions& options, const ReachOptions& reach, Placement placement)
    : options_(options),
      log_(*reach.log),
      first_(std::move(placement)),
      nodes_(options, reach, first_),
      resize_(options, reach, nodes_, [this](const std::vector<Host>& hosts) { placed_on(hosts); }),
      placement_(first_),
      numbers_(nodes_.membership().members()) {}

std::vector<std::string> Attempts::addresses() const {
  std::vector<std::string> result;
  for (const std::uint32_t node : numbers_) result.push_back(nodes_.address_of(node));
  return result;
}

std::string Attempts::where() const {
  return "with " + base::counted(ranktable::device_count(placement_.table), "rank") + " on " +
         base::counted(numbers_.size(), "node");
}

std::string Attempts::replace(std::uint32_t node, const std::function<void()>& plan_anew) {
  if (placement_.whole_table)
    return "a spare takes its place only in another attempt, as there is a rank table (-r)";
  const std::uint32_t lost = numbers_[node];
  const Membership membership = nodes_.membership();
  const auto spare = nodes_.replace(lost, resize_.requested().removed);
  if (!spare) return "no spare can take its place";
  const Placement placement = placement_;
  const std::vector<std::uint32_t> numbers = numbers_;
  try {
    take_members();
    plan_anew();
  } catch (...) {
    nodes_.membership() = membership;
    placement_ = placement;
    numbers_ = numbers;
    throw;
  }
  nodes_.hand_over(lost, *spare);
  return "";
}

std::optional<Attempts::Next> Attempts::after(const Plan& plan, const JobReport& report) {
  if (!may_run_again(report, options_.restarts)) return std::nullopt;
  exclude_failed(report);
  // A rank that failed on another node may have done so because of one that was lost.
  const bool lost_ranks = report.count(RankState::lost) > 0;
  const bool had_lost = any_lost();
  if (lost_ranks)
    history_.clear();
  else if (!blame(plan, report))
    return std::nullopt;
  const bool left_out = !had_lost && any_lost();
  const bool is_resized = report.failures.front().kind == Failure::Kind::resized;
  std::optional<Next> next;
  if (is_resized || (any_lost() && options_.spares.any()))
    next = renew(options_.keeps_agents() && !was_staging(plan, report));
  if (!next && !left_out) next = restart(report, was_staging(plan, report));
  tell_too_few(next.has_value());
  if (!next) return next;
  const bool waits_for_ranks = report.runs_on > next->delay;
  next->delay = std::max(next->delay, report.runs_on);
  if (next->delay.count() > 0) next->text += " in " + base::describe(next->delay);
  if (waits_for_ranks) next->text += ", when what ran before has ended everywhere";
  return next;
}

// Those that were lost may answer again.
void Attempts::tell_too_few(bool continues) {
  const std::string text = std::exchange(too_few_, "");
  if (text.empty()) return;
  if (continues)
    log_.warning(text + "; all nodes are tried again");
  else
    log_.error(text);
}

void Attempts::exclude_failed(const JobReport& report) {
  using Kind = Failure::Kind;
  for (const Failure& failure : report.failures)
    if (failure.node && (failure.kind == Kind::node_lost || failure.kind == Kind::could_not_start))
      nodes_.exclude(numbers_[*failure.node]);
}

// Says which node may be to blame for a rank's failure, and excludes it if the user wants so. Returns false
// if that was tried, and ranks fail on other nodes, too.
bool Attempts::blame(const Plan& plan, const JobReport& report) {
  if (!history_.add(plan, report)) return true;
  const auto everywhere = history_.everywhere();
  if (everywhere && (has_excluded_ || restarts_ == options_.restarts.most))
    log_.error("the program fails wherever it runs: " + *everywhere + "; no node is to blame");
  if (everywhere) return !has_excluded_;
  const auto suspect = history_.suspect();
  if (!suspect || numbers_.size() < 2) return true;
  const bool excludes = options_.spares.exclude_repeated;
  log_.warning(*suspect + ": its ranks have failed first in two attempts; " +
               (excludes ? "it is left out (--exclude-on repeat)"
                         : "it may be to blame (--exclude-on repeat leaves such a node out)"));
  if (excludes) nodes_.exclude(numbers_[*report.failures.front().node]);
  has_excluded_ = excludes;
  return true;
}

bool Attempts::any_lost() const {
  const std::vector<std::uint32_t>& members = nodes_.membership().members();
  return !std::all_of(members.begin(), members.end(), [this](std::uint32_t node) { return can_go_on(node); });
}

// Agents that do not stay have ended, and their nodes are still there.
bool Attempts::can_go_on(std::uint32_t node) const {
  return nodes_.is_usable(node) || nodes_.has_ended(node) ||
         (!options_.keeps_agents() && !nodes_.is_lost(node));
}

bool Attempts::any_ended() const {
  const std::vector<std::uint32_t>& members = nodes_.membership().members();
  return std::any_of(members.begin(), members.end(),
                     [this](std::uint32_t node) { return nodes_.has_ended(node); });
}

// Agents that have got a part of the files would mix them up with those of the next attempt.
bool Attempts::was_staging(const Plan& plan, const JobReport& report) const {
  return !plan.stage.empty() && report.count(RankState::waiting) == report.ranks.size();
}

std::optional<Attempts::Next> Attempts::renew(bool keeps_connections) {
  Membership& membership = nodes_.membership();
  const auto is_usable = [this](std::uint32_t node) { return can_go_on(node); };
  const auto is_ready = [this](std::uint32_t node) { return nodes_.is_ready(node); };
  const auto change = membership.renew(is_usable, resize_.requested(), is_ready);
  if (!change) {
    too_few_ = "too few nodes are left: the job needs " +
               std::to_string(resize_.requested().enough.value_or(membership.min_nodes()));
    return std::nullopt;
  }
  const std::string text = describe(*change, membership);
  resize_.renewed(*change);
  if (!keeps_connections || any_ended()) nodes_.start_anew();
  resize_.nodes_changed();
  take_members();
  is_first_ = false;
  return Next{text + (text.empty() ? "the job continues " : ", and the job continues ") + where(), text};
}

Placement Attempts::placed_on(const std::vector<Host>& hosts) const {
  Placement placement = place_on(hosts, first_, options_.adasum);
  require_roles_fit(options_.roles, placement, first_);
  return placement;
}

// Throws Error if AdaSum or the roles take no world that is left.
void Attempts::take_members() {
  const Membership& membership = nodes_.membership();
  std::vector<Host> hosts;
  for (const std::uint32_t member : membership.members()) hosts.push_back(membership.all()[member]);
  placement_ = placed_on(hosts);
  numbers_.clear();
  for (const Host& host : placement_.hosts)
    numbers_.push_back(
        *std::find_if(membership.members().begin(), membership.members().end(),
                      [&](std::uint32_t member) { return membership.all()[member].name == host.name; }));
}

// Nodes that were lost may answer again.
std::optional<Attempts::Next> Attempts::restart(const JobReport& report, bool was_staging) {
  const bool never_ran = is_first_ && report.failures.front().kind == Failure::Kind::could_not_start;
  if (never_ran || restarts_ == options_.restarts.most) return std::nullopt;
  Membership& membership = nodes_.membership();
  const auto change = membership.renew([](std::uint32_t) { return true; }, resize_.requested());
  const std::string changed = change ? describe(*change, membership) : "";
  if (change)
    resize_.renewed(*change);
  else
    resize_.fail("too few nodes would be left");
  if (++restarts_ == options_.restarts.most) resize_.note_last_restart();
  const bool reconnect = any_lost() || any_ended() || was_staging;
  if (reconnect) nodes_.start_anew();
  resize_.nodes_changed();
  if (reconnect || !changed.empty()) take_members();
  is_first_ = false;
  return Next{(changed.empty() ? "" : changed + "; ") + "restart " + std::to_string(restarts_) + " of " +
                  std::to_string(options_.restarts.most),
              changed, restart_delay(restarts_, options_.restarts.delay)};
}

}  // namespace adarun::launcher
