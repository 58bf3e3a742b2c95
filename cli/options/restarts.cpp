// SPDX-License-Identifier: Apache-2.0
#include "cli/options/restarts.h"

#include <algorithm>

namespace adarun::cli {

bool is_run_again(const launcher::JobReport& report, int runs, const Restarts& restarts) {
  using Kind = launcher::Failure::Kind;
  if (report.failures.empty() || runs > restarts.most || restarts.never_on.count(report.exit_status()) != 0)
    return false;
  switch (report.failures.front().kind) {
    case Kind::rank_failed:
    case Kind::aborted:
    case Kind::node_lost:
    case Kind::hung:
      break;
    case Kind::could_not_start:
      if (runs == 1) return false;
      break;
    case Kind::not_executable:
    case Kind::not_found:
    case Kind::timed_out:
    case Kind::interrupted:
    case Kind::broken:
      return false;
  }
  // The user may have interrupted the job while it was being stopped after a failure.
  return !report.was_cut_short();
}

std::chrono::milliseconds delay_after(int runs, const Restarts& restarts) {
  std::chrono::milliseconds delay = restarts.delay;
  for (int run = 1; run < runs && delay < longest_restart_delay; ++run) delay *= 2;
  return std::min<std::chrono::milliseconds>(delay, longest_restart_delay);
}

}  // namespace adarun::cli
