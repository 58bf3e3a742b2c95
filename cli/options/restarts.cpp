// SPDX-License-Identifier: Apache-2.0
#include "cli/options/restarts.h"

#include "launcher/job/restart_delay.h"

namespace adarun::cli {

bool may_run_again(const launcher::JobReport& report, const launcher::Restarts& restarts) {
  using Kind = launcher::Failure::Kind;
  if (!report.failures.empty() && report.failures.front().kind == Kind::resized)
    return !report.was_cut_short();
  if (report.failures.empty() || report.is_refused || restarts.never_on.count(report.exit_status()) != 0)
    return false;
  switch (report.failures.front().kind) {
    case Kind::rank_failed:
    case Kind::aborted:
    case Kind::node_lost:
    case Kind::hung:
    case Kind::could_not_start:
    case Kind::resized:
      break;
    case Kind::not_executable:
    case Kind::not_found:
    case Kind::spawned:
    case Kind::timed_out:
    case Kind::interrupted:
    case Kind::broken:
      return false;
  }
  // The user may have interrupted the job while it was being stopped after a failure.
  return !report.was_cut_short();
}

bool could_not_start(const launcher::JobReport& report) {
  return !report.failures.empty() && report.failures.front().kind == launcher::Failure::Kind::could_not_start;
}

std::chrono::milliseconds delay_before(int number, const launcher::Restarts& restarts) {
  return launcher::restart_delay(number, restarts.delay);
}

}  // namespace adarun::cli
