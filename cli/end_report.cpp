// SPDX-License-Identifier: Apache-2.0
#include "cli/end_report.h"

#include "cli/failure_lines.h"
#include "launcher/describe.h"

namespace adarun::cli {
namespace {

constexpr std::size_t tail_lines = 20;

void add_last_lines(std::vector<std::string>& lines, const launcher::LogFolder& logs, std::uint32_t rank) {
  const std::vector<std::string> tail = launcher::last_lines(logs.log_of(rank), tail_lines);
  const std::string name = "rank " + std::to_string(rank);
  if (tail.empty()) {
    lines.push_back(name + " printed nothing");
    return;
  }
  lines.push_back(tail.size() == 1 ? "the last line of " + name + ":"
                                   : "the last " + std::to_string(tail.size()) + " lines of " + name + ":");
  for (const std::string& line : tail) lines.push_back("    " + line);
}

std::string fate_of_others(const launcher::Report& report) {
  using launcher::RankState;
  std::string text;
  for (const RankState state : {RankState::done, RankState::stopped, RankState::lost, RankState::waiting}) {
    const std::size_t count = report.count(state);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count);
    switch (state) {
      case RankState::done:
        text += " had ended well";
        break;
      case RankState::stopped:
        text += " stopped by adarun";
        break;
      case RankState::lost:
        text += " lost with their node";
        break;
      default:
        text += " never started";
        break;
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> end_report(const launcher::Plan& plan, const launcher::Report& report,
                                    const launcher::LogFolder& logs, const std::string& log_dir) {
  std::vector<std::string> lines = failure_lines(plan, report.failures);
  if (lines.empty()) return lines;
  const launcher::Failure& first = report.failures.front();
  if (first.rank) add_last_lines(lines, logs, *first.rank);
  const std::string others = fate_of_others(report);
  const std::size_t world = plan.world_size();
  lines.push_back("the job of " + std::to_string(world) + (world == 1 ? " rank" : " ranks") +
                  " ended after " + launcher::describe(report.duration) +
                  (others.empty() ? "" : ": " + others) + "; logs in " + log_dir + "/");
  return lines;
}

}  // namespace adarun::cli
