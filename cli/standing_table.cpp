// SPDX-License-Identifier: Apache-2.0
#include "cli/standing_table.h"

#include <algorithm>

#include "cli/columns.h"
#include "launcher/describe.h"

namespace adarun::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_line_bytes = 60;

// A character of several bytes is not cut.
std::string shown_line(std::string line) {
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  if (line.size() <= most_line_bytes) return line;
  std::size_t end = most_line_bytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end) + "...";
}

std::string ago(const std::optional<milliseconds>& time) {
  return time ? launcher::describe(*time) + " ago" : "-";
}

milliseconds idle(const RankStanding& rank) {
  return rank.since_step.value_or(rank.silent.value_or(milliseconds(0)));
}

}  // namespace

std::string standing_table(std::vector<RankStanding> ranks, std::size_t most) {
  const std::size_t all = ranks.size();
  if (all > most) {
    std::stable_sort(ranks.begin(), ranks.end(), [](const RankStanding& one, const RankStanding& other) {
      return idle(one) > idle(other);
    });
    ranks.resize(most);
  }
  std::vector<std::vector<std::string>> rows{
      {"RANK", "NODE", "STATE", "STEP", "STEPPED", "PRINTED", "LAST LINE"}};
  for (const RankStanding& rank : ranks)
    rows.push_back({std::to_string(rank.rank), rank.node, rank.state,
                    rank.step ? std::to_string(*rank.step) : "-", ago(rank.since_step), ago(rank.silent),
                    shown_line(rank.last_line)});
  std::string text = columns(rows);
  if (all > most)
    text += "... and " + std::to_string(all - most) +
            " more ranks that have done something since; -a shows all\n";
  return text;
}

}  // namespace adarun::cli
