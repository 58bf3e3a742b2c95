// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/known_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <set>

#include "cli/jobs/find_job.h"
#include "cli/options/placement.h"
#include "launcher/hosts/read.h"
#include "launcher/record/job_index.h"
#include "launcher/record/supervisor_process.h"
#include "launcher/transport/ssh/config/config.h"

namespace adarun::cli {
namespace {

using Candidates = std::vector<Completion::Candidate>;

std::string value_of(const TypedWords& typed, const std::string& option) {
  const auto found = typed.values.find(option);
  return found == typed.values.end() ? std::string() : found->second;
}

std::size_t world_of(LaunchOptions where, const std::string& table, const std::string& hosts) {
  where.table_file = table;
  if (table.empty()) where.hosts = hosts;
  return ranktable::device_count(place(where).table);
}

std::size_t world_of(const TypedWords& typed) {
  const std::string table = value_of(typed, "rank-table");
  const std::string hosts = value_of(typed, "hosts");
  if (!table.empty() || !hosts.empty()) return world_of(LaunchOptions{}, table, hosts);
  const std::string place = typed.arguments.empty() ? std::string() : typed.arguments.front();
  if (typed.command->get_name() == "env") return world_of(LaunchOptions{}, place, "");
  return find_job(place.empty() ? std::string("./") + launcher::default_log_dir : place).world_size;
}

// Whether the job runs on this machine, or its supervisor, of which only the newest attempt counts: the
// first one that is asked about. `known`: the supervisors of those before.
bool runs_here(const JobFile& job, std::vector<launcher::SupervisorProcess>& known) {
  if (!is_of_this_machine(job) || !is_in_use(job)) return false;
  if (std::ranges::find(known, job.supervisor) != known.end()) return false;
  known.push_back(job.supervisor);
  return true;
}

}  // namespace

Candidates known_hosts(const TypedWords& typed) {
  Candidates hosts;
  try {
    const std::string listed = value_of(typed, "hosts");
    if (!listed.empty())
      for (const launcher::Host& host : launcher::read_hosts(listed))
        hosts.push_back({host.name, "of " + listed});
    launcher::SshOptions options;
    options.config_file = value_of(typed, "ssh-config");
    for (const std::string& name : launcher::SshConfig(options).named_hosts())
      hosts.push_back({name, "of the ssh config"});
  } catch (const std::exception&) {
    return hosts;
  }
  return hosts;
}

Candidates known_jobs(const TypedWords& typed) {
  const std::string command = typed.command->get_name();
  const bool is_attach = command == "attach";
  const bool wants_running = is_attach || command == "stop" || command == "resize";
  Candidates jobs;
  std::set<std::string> names;
  std::vector<launcher::SupervisorProcess> known;
  for (const JobFile& job : indexed_jobs()) {
    const bool is_newest = !job.name.empty() && names.insert(job.name).second;
    if (wants_running && (!runs_here(job, known) || (is_attach && !job.supervisor.detached))) continue;
    const std::string help = job.state + ", " + std::to_string(job.world_size) + " ranks: " + command_of(job);
    jobs.push_back({job.id, help});
    if (is_newest) jobs.push_back({job.name, help});
  }
  return jobs;
}

Candidates known_ranks(const TypedWords& typed) {
  Candidates ranks;
  try {
    const std::size_t world = world_of(typed);
    for (std::size_t rank = 0; rank < world; ++rank) ranks.push_back({std::to_string(rank), ""});
  } catch (const std::exception&) {
    return ranks;
  }
  return ranks;
}

}  // namespace adarun::cli
