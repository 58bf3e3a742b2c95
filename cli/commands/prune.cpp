// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "base/describe.h"
#include "base/log/log.h"
#include "base/wall_clock.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "cli/jobs/ended_jobs.h"

namespace adarun::cli {
namespace {

constexpr const char* prune_examples = R"(
Without DIR or JOB it looks at the jobs that `adarun ps -a` lists, and at folders that later jobs renamed beside
theirs; with DIR at the folders of jobs at, beside and in it. Several conditions must all hold. Jobs that run are never
removed.

Examples:
  adarun prune                               what could be removed, and how much space that would free
  adarun prune --yes                         removes that
  adarun prune --older-than 7d               what ended more than a week ago
  adarun prune --keep 5 --yes                removes the folders of all but the last five jobs
  adarun prune --larger-than 1G log_output   of large ones at or beside log_output

Exit status: 0 done, 2 wrong usage, 3 something could not be removed.)";

constexpr std::int64_t prune_ns_per_ms = 1'000'000;

struct PruneOptions {
  std::vector<std::string> places;
  std::optional<std::chrono::milliseconds> older_than;
  std::optional<std::uint64_t> keep;
  std::optional<std::uint64_t> larger_than;
  bool yes = false;
};

std::chrono::milliseconds age_of(const EndedJob& ended) {
  return std::chrono::milliseconds((base::now_ns() - ended.ended_ns) / prune_ns_per_ms);
}

// The jobs that meet all conditions.
std::vector<EndedJob> jobs_to_remove(const PruneOptions& options, base::Log& log) {
  std::vector<EndedJob> jobs = ended_jobs(options.places);
  const std::uint64_t kept = std::min<std::uint64_t>(options.keep.value_or(0), jobs.size());
  jobs.erase(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(kept));
  std::erase_if(jobs, [&](const EndedJob& ended) {
    return (options.older_than && age_of(ended) <= *options.older_than) ||
           (options.larger_than && ended.size_bytes <= *options.larger_than);
  });
  std::erase_if(jobs, [&log](const EndedJob& ended) {
    const std::string foreign = foreign_file_of(ended);
    if (!foreign.empty())
      log.warning(ended.folder.string() + ": stays, as " + foreign + " there is not adarun's");
    return !foreign.empty();
  });
  return jobs;
}

void print_jobs(const std::vector<EndedJob>& jobs) {
  std::vector<std::vector<std::string>> rows{{"JOB", "STATE", "ENDED", "SIZE", "FOLDER"}};
  for (const EndedJob& ended : jobs)
    rows.push_back({ended.job.id, ended.job.state, base::elapsed(age_of(ended)) + " ago",
                    base::describe_bytes(ended.size_bytes),
                    ended.folder.empty() ? "gone" : ended.folder.string()});
  std::fputs(columns(rows).c_str(), stdout);
}

std::string total_of(const std::vector<EndedJob>& jobs) {
  std::uint64_t bytes = 0;
  for (const EndedJob& ended : jobs) bytes += ended.size_bytes;
  return base::counted(jobs.size(), "job") + ", " + base::describe_bytes(bytes);
}

// Removes the jobs; returns whether all went.
bool remove_jobs(std::vector<EndedJob>& jobs, base::Log& log) {
  const std::size_t all = jobs.size();
  std::erase_if(jobs, [&log](const EndedJob& ended) {
    try {
      remove_job(ended);
      return false;
    } catch (const ExitError& error) {
      log.error(error.what());
      return true;
    }
  });
  return jobs.size() == all;
}

int run_prune(const PruneOptions& options, base::Log& log) {
  std::vector<EndedJob> jobs = jobs_to_remove(options, log);
  if (jobs.empty()) {
    std::puts("nothing to remove");
    return exit_done;
  }
  print_jobs(jobs);
  if (!options.yes) {
    std::printf("would remove %s; with --yes it does\n", total_of(jobs).c_str());
    return exit_done;
  }
  const bool all = remove_jobs(jobs, log);
  std::printf("removed %s\n", total_of(jobs).c_str());
  return all ? exit_done : exit_failed;
}

}  // namespace

void add_prune(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PruneOptions>();
  CLI::App* command = app.add_subcommand("prune", "Remove the folders of jobs that have ended");
  command->add_option("place", options->places, "Folders to look at, or jobs by id or name")
      ->check(names_a_place())
      ->type_name("DIR|JOB");
  add_duration(*command, "--older-than", options->older_than, "Only jobs that ended longer ago",
               {.most = std::chrono::hours(24 * 1000)});
  add_count(*command, "--keep", options->keep, "Keep the last N that ended");
  add_size(*command, "--larger-than", options->larger_than, 0, "Only jobs whose folders take more space");
  command->add_flag("--yes", options->yes, "Remove them; without it, only say what would be removed");
  command->footer(prune_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_prune(*options, invocation.log); });
}

}  // namespace adarun::cli
