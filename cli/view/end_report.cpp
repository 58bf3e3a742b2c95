// SPDX-License-Identifier: Apache-2.0
#include "cli/view/end_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/describe.h"
#include "cli/arguments/rank_set.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/job/ranks.h"
#include "monitor/view/styled_line.h"

namespace adarun::cli {
namespace {

// Nodes with the same failure; no node: a failure with its own line.
struct FailureGroup {
  std::set<std::uint32_t> nodes;  ///< In the order of the job, not of the failures.
  std::string words;
};

FailureGroup failure_group(const launcher::Plan& plan, const launcher::Failure& failure) {
  if (!failure.node || failure.rank) return {{}, failure.message};
  const std::string& name = plan.nodes[*failure.node].host.name;
  const std::string head = name + ": ";
  if (!failure.message.starts_with(head)) return {{}, failure.message};
  return {{*failure.node}, failure.message.substr(head.size())};
}

using launcher::JobReport;
using launcher::Plan;
using launcher::RankRecord;
using launcher::RankState;
using std::chrono::milliseconds;

// Further kinds of ends are only in job.json.
constexpr std::size_t most_kinds = 8;

// Ranks of one role, or of a job without roles, that ended the same way.
struct OutcomeGroup {
  const launcher::Role* role;
  std::string end;
  std::set<std::uint32_t> ranks;
  std::optional<milliseconds> soonest;  ///< Delay after the first failure, if known.
  std::optional<milliseconds> latest;
};

// Ranks of one role.
std::string subject(const Plan& plan, const std::set<std::uint32_t>& ranks) {
  std::vector<std::string> nodes;
  std::set<std::uint32_t> seen;
  for (const std::uint32_t rank : ranks)
    if (const std::uint32_t node = plan.node_of_rank[rank]; seen.insert(node).second)
      nodes.push_back(plan.nodes[node].host.name);
  const launcher::Role* role = plan.role_of(*ranks.begin());
  return (ranks.size() == 1 ? "rank " : "ranks ") + shown_ranks(ranks) + " on " +
         launcher::fold_names(nodes) + (role == nullptr ? "" : " (role " + role->name + ")");
}

std::uint32_t number_of_role(const Plan& plan, std::uint32_t rank) {
  return plan.options.roles.empty() ? 0 : plan.job_spec.application_of_rank[rank];
}

// Without the core file, which is different for each rank.
std::string end_of(RankRecord record) {
  record.core.clear();
  return launcher::describe_end(record);
}

std::optional<milliseconds> delay_of(const JobReport& report, std::uint32_t rank) {
  const auto first = report.failures.front().rank;
  if (!first || !report.ranks[*first].ended || !report.ranks[rank].ended) return std::nullopt;
  const std::int64_t ns = report.ranks[rank].ended->ns - report.ranks[*first].ended->ns;
  if (ns < 0) return std::nullopt;  // The first one's end was seen late.
  return std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(ns));
}

std::vector<OutcomeGroup> alike(const Plan& plan, const JobReport& report,
                                const std::vector<std::uint32_t>& ranks) {
  std::vector<OutcomeGroup> groups;
  for (const std::uint32_t rank : ranks) {
    const launcher::Role* role = plan.role_of(rank);
    const std::string end = end_of(report.ranks[rank]);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const OutcomeGroup& g) { return g.role == role && g.end == end; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {role, end, {}, delay_of(report, rank), {}});
    group->ranks.insert(rank);
    group->latest = delay_of(report, rank);  // `ranks` is in time order.
  }
  return groups;
}

std::string how_much_later(const OutcomeGroup& group) {
  if (!group.soonest || !group.latest) return "followed";
  if (*group.soonest == *group.latest) return "followed " + base::describe(*group.soonest) + " later";
  return "followed " + base::describe(*group.soonest) + " to " + base::describe(*group.latest) + " later";
}

void add(std::vector<std::string>& lines, const Plan& plan, const std::vector<OutcomeGroup>& groups,
         bool beside) {
  for (std::size_t i = 0; i < std::min(groups.size(), most_kinds); ++i)
    lines.push_back(subject(plan, groups[i].ranks) + " " +
                    (beside ? "failed about the same time" : how_much_later(groups[i])) + ": " +
                    groups[i].end);
  if (groups.size() > most_kinds)
    lines.push_back("... and " + std::to_string(groups.size() - most_kinds) +
                    " more ways of failing after it: see job.json");
}

// Those that failed: of the others, words_for() tells.
void add_left(std::vector<std::string>& lines, const Plan& plan, const JobReport& report) {
  std::vector<std::uint32_t> failed;
  for (const std::uint32_t rank : report.left)
    if (report.ranks[rank].state == RankState::failed) failed.push_back(rank);
  for (const OutcomeGroup& group : alike(plan, report, failed))
    lines.push_back(subject(plan, group.ranks) + " ended before, and the others continued: " + group.end);
}

const char* words_for(RankState state) {
  switch (state) {
    case RankState::done:
      return "had ended well";
    case RankState::stopped:
      return "stopped by adarun";
    case RankState::lost:
      return "lost with the node";
    case RankState::waiting:
      return "never started";
    case RankState::running:
      return "not heard of again";
    case RankState::failed:
      break;
  }
  return nullptr;
}

void add_last_lines(std::vector<std::string>& lines, const launcher::LogFolder& logs, std::uint32_t rank) {
  const std::vector<std::string> tail = logs.last_lines(rank);
  const std::string name = "rank " + std::to_string(rank);
  if (tail.empty()) {
    lines.push_back(name + " printed nothing");
    return;
  }
  lines.push_back(tail.size() == 1 ? "the last line of " + name + ":"
                                   : "the last " + std::to_string(tail.size()) + " lines of " + name + ":");
  for (const std::string& line : tail) lines.push_back("    " + monitor::printable(line));
}

}  // namespace

std::vector<std::string> failure_lines(const launcher::Plan& plan,
                                       const std::vector<launcher::Failure>& failures) {
  std::vector<FailureGroup> groups;
  for (const launcher::Failure& failure : failures) {
    FailureGroup group = failure_group(plan, failure);
    const auto alike = std::find_if(groups.begin(), groups.end(), [&group](const FailureGroup& each) {
      return !each.nodes.empty() && !group.nodes.empty() && each.words == group.words;
    });
    if (alike == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      alike->nodes.merge(group.nodes);
    }
  }
  std::vector<std::string> lines;
  for (const FailureGroup& group : groups) {
    std::vector<std::string> names;
    for (const std::uint32_t node : group.nodes) names.push_back(plan.nodes[node].host.name);
    lines.push_back(names.empty() ? group.words : launcher::fold_names(names) + ": " + group.words);
  }
  return lines;
}

std::vector<std::string> rank_outcomes(const Plan& plan, const JobReport& report) {
  std::vector<std::string> lines;
  add_left(lines, plan, report);
  add(lines, plan, alike(plan, report, report.beside), true);
  add(lines, plan, alike(plan, report, report.followers), false);
  for (const RankState state :
       {RankState::done, RankState::stopped, RankState::lost, RankState::running, RankState::waiting}) {
    std::map<std::uint32_t, std::set<std::uint32_t>> by_role;
    for (std::uint32_t rank = 0; rank < report.ranks.size(); ++rank)
      if (report.ranks[rank].state == state) by_role[number_of_role(plan, rank)].insert(rank);
    for (const auto& [role, ranks] : by_role) lines.push_back(subject(plan, ranks) + ": " + words_for(state));
  }
  return lines;
}

std::vector<std::string> end_report(const launcher::Plan& plan, const launcher::JobReport& report,
                                    const launcher::LogFolder& logs, const std::string& log_dir) {
  std::vector<std::string> lines = failure_lines(plan, report.failures);
  if (lines.empty()) return lines;
  const launcher::Failure& first = report.failures.front();
  if (first.rank) add_last_lines(lines, logs, *first.rank);
  const bool began = report.count(launcher::RankState::waiting) != report.ranks.size();
  if (began)
    for (const std::string& line : rank_outcomes(plan, report)) lines.push_back(line);
  lines.push_back("the job of " + base::counted(plan.world_size(), "rank") + " on " +
                  base::counted(plan.nodes.size(), "node") + " ended after " +
                  base::describe(report.duration) + (began ? "" : ", before any rank started") +
                  "; logs in " + log_dir + "/");
  return lines;
}

}  // namespace adarun::cli
