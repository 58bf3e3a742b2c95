// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/left_processes.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/read_text.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/ranks/ending.h"

namespace adarun::launcher::agent {
namespace {

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// The number after the last `mark`.
std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at + mark.size()));
}

std::optional<std::uint32_t> rank_of(const std::string& folder) {
  const std::string groups = base::read_text(folder + "cgroup");
  if (groups.find("/adarun-") != std::string::npos)
    if (const auto rank = number_behind(groups, "/rank")) return rank;
  using std::string_view_literals::operator""sv;
  const std::string variables = '\0' + base::read_text(folder + "environ");
  if (variables.find("\0ADARUN_JOB_ID="sv) == std::string::npos) return std::nullopt;
  return number_behind(variables, "\0RANK="sv);
}

// Of processes that no rank has left: a rank that runs, and what it has started.
std::vector<pid_t> of_running(const std::vector<RankLife>& ranks, const std::vector<Process>& all) {
  std::vector<pid_t> result;
  for (const RankLife& life : ranks) {
    if (life.state != RankLife::State::runs) continue;
    result.push_back(life.pid);
    for (const Process& process : descendants(life.pid, all)) result.push_back(process.pid);
  }
  std::ranges::sort(result);
  return result;
}

std::string name_in(const std::string& folder) {
  std::string name = base::read_text(folder + "comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

}  // namespace

protocol::LeftRunning left_running(const std::vector<RankLife>& ranks) {
  protocol::LeftRunning left;
  const bool any_runs =
      std::ranges::any_of(ranks, [](const RankLife& life) { return life.state == RankLife::State::runs; });
  const bool any_left = std::ranges::any_of(
      ranks, [](const RankLife& life) { return life.state == RankLife::State::ended_well; });
  if (!any_left) return left;
  const std::vector<Process> all = running_processes();
  const std::vector<pid_t> running = of_running(ranks, all);
  for (const Process& process : descendants(::getpid(), all)) {
    if (std::ranges::binary_search(running, process.pid) || is_ending(process.pid)) continue;
    const std::string folder = "/proc/" + std::to_string(process.pid) + '/';
    const std::optional<std::uint32_t> rank = rank_of(folder);
    const auto life =
        std::ranges::find_if(ranks, [&rank](const RankLife& each) { return each.rank == rank; });
    const bool is_left = life == ranks.end() ? !any_runs : life->state == RankLife::State::ended_well;
    if (!is_left) continue;
    ++left.count;
    if (left.processes.size() < protocol::LeftRunning::most_named)
      left.processes.push_back({name_in(folder), rank.value_or(protocol::LeftProcess::unknown_rank)});
  }
  return left;
}

}  // namespace adarun::launcher::agent
