// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/status_table.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/console/print.h"

namespace adarun::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_line_bytes = 60;

std::string ago(const std::optional<milliseconds>& time) {
  return time ? base::describe(*time) + " ago" : "-";
}

std::string printed(const RankStatusRow& rank) {
  return rank.printed || !rank.silent ? ago(rank.silent) : "not yet";
}

milliseconds idle(const RankStatusRow& rank) {
  return rank.since_step.value_or(rank.silent.value_or(milliseconds(0)));
}

}  // namespace

std::string status_table(std::vector<RankStatusRow> ranks, std::size_t most) {
  const std::size_t all = ranks.size();
  if (all > most) {
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankStatusRow& one, const RankStatusRow& other) {
      return idle(one) > idle(other);
    });
    ranks.resize(most);
  }
  const bool has_roles = std::ranges::any_of(ranks, [](const auto& rank) { return !rank.role.empty(); });
  std::vector<std::vector<std::string>> rows{
      {"RANK", "NODE", "STATE", "STEP", "STEPPED", "PRINTED", "LAST LINE"}};
  for (const RankStatusRow& rank : ranks)
    rows.push_back({std::to_string(rank.rank), rank.node, rank.state,
                    rank.step ? std::to_string(*rank.step) : "-", ago(rank.since_step), printed(rank),
                    base::clean_line(rank.last_line, most_line_bytes)});
  if (has_roles) {
    rows.front().insert(rows.front().begin() + 1, "ROLE");
    for (std::size_t i = 0; i < ranks.size(); ++i)
      rows[i + 1].insert(rows[i + 1].begin() + 1, base::clean_line(ranks[i].role));
  }
  std::string text = columns(rows);
  if (all > most)
    text += "... and " + std::to_string(all - most) +
            " more ranks that have done something since; -a shows all\n";
  return text;
}

}  // namespace adarun::cli
