// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clean_text.h"
#include "cli/commands/commands.h"
#include "cli/console/columns.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* ps_examples = R"(
Examples:
  adarun ps            the jobs that run, and the last ones that ended
  adarun ps -a         all jobs that are remembered
  adarun ps --json     the same as an array

Exit status: 0.)";

constexpr std::size_t most_ended = 10;
constexpr std::size_t most_command_bytes = 40;

struct PsOptions {
  bool all = false;
  bool json = false;
};

std::string local_time(std::int64_t time_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const auto seconds = static_cast<std::time_t>(time_ns / ns_per_s);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  return text.data();
}

std::size_t nodes_of(const JobFile& job) {
  std::set<std::string> nodes;
  for (const JobFile::Rank& rank : job.ranks) nodes.insert(rank.node);
  return nodes.size();
}

std::string state_of(const JobFile& job) {
  return job.status && *job.status != 0 ? job.state + " (" + std::to_string(*job.status) + ")" : job.state;
}

std::vector<JobFile> chosen(bool all) {
  std::vector<JobFile> jobs;
  std::size_t ended = 0;
  for (JobFile& job : indexed_jobs())
    if (all || job.running() || ended++ < most_ended) jobs.push_back(std::move(job));
  return jobs;
}

void print_table(const std::vector<JobFile>& jobs) {
  std::vector<std::vector<std::string>> rows{
      {"JOB", "STATE", "BEGAN", "RANKS", "NODES", "PROGRAM", "FOLDER"}};
  for (const JobFile& job : jobs) {
    const std::string command = base::clean_line(command_of(job), most_command_bytes);
    rows.push_back({job.id, state_of(job), local_time(job.began_ns), std::to_string(job.world_size),
                    std::to_string(nodes_of(job)), command, log_dir_of(job).string()});
  }
  std::fputs(columns(rows).c_str(), stdout);
}

void print_json(const std::vector<JobFile>& jobs) {
  ordered_json list = ordered_json::array();
  for (const JobFile& job : jobs) {
    ordered_json entry{{"id", job.id},
                       {"state", job.state},
                       {"began_ns", job.began_ns},
                       {"ranks", job.world_size},
                       {"nodes", nodes_of(job)},
                       {"argv", job.argv},
                       {"log_dir", log_dir_of(job).string()},
                       {"detached", job.supervisor.detached},
                       {"pid", job.supervisor.pid},
                       {"host", job.supervisor.host}};
    if (job.status) entry["status"] = *job.status;
    list.push_back(std::move(entry));
  }
  std::printf(
      "%s\n",
      base::escape_controls(list.dump(2, ' ', false, ordered_json::error_handler_t::replace)).c_str());
}

int run_ps(const PsOptions& options) {
  const std::vector<JobFile> jobs = chosen(options.all);
  if (options.json)
    print_json(jobs);
  else
    print_table(jobs);
  return exit_done;
}

}  // namespace

void add_ps(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PsOptions>();
  CLI::App* command = app.add_subcommand("ps", "List the jobs that run, and the last ones that ended");
  command->add_flag("-a,--all", options->all, "All jobs that are remembered");
  command->add_flag("--json", options->json, "As JSON");
  command->footer(ps_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_ps(*options); });
}

}  // namespace adarun::cli
