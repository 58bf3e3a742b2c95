// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/restarts.h"

namespace adarun::launcher {

bool may_run_again(const JobReport& report, const Restarts& restarts) {
  using Kind = Failure::Kind;
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

bool could_not_start(const JobReport& report) {
  return !report.failures.empty() && report.failures.front().kind == Failure::Kind::could_not_start;
}

}  // namespace adarun::launcher
