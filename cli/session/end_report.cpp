// SPDX-License-Identifier: Apache-2.0
#include "cli/session/end_report.h"

#include "base/describe.h"
#include "cli/session/failure_lines.h"
#include "cli/session/rank_outcomes.h"
#include "monitor/view/styled_line.h"

namespace adarun::cli {
namespace {

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
