// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/hosts/host_list.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// The plan of job "j" on `list`, in the form of --hosts; the program is "true" unless `options` name one.
inline Plan plan_of(const std::string& list, JobOptions options = {}, AttemptOptions attempt = {}) {
  attempt.job_id = "j";
  if (options.argv.empty()) options.argv = {"true"};
  const std::vector<Host> hosts = parse_host_list(list);
  return make_plan(table_of(hosts), hosts, std::vector<std::string>(hosts.size()), options, attempt);
}

}  // namespace adarun::launcher
