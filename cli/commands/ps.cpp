// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* ps_examples = R"(
Examples:
  adarun ps            the jobs that run, and the last ones that ended
  adarun ps -a         all jobs that are remembered
  adarun ps -q         only their ids, one a line
  adarun ps --json     the same as an array

Exit status: 0.)";

constexpr std::size_t most_ended = 10;
constexpr std::size_t most_command_bytes = 40;

struct PsOptions {
  bool all = false;
  bool quiet = false;
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
  std::string text = job.state;
  if (job.status && *job.status != 0) text += " (" + std::to_string(*job.status) + ")";
  return may_continue(job) ? text + ", may continue" : text;
}

// With the attempts at a job one below the other, the last one first.
std::vector<JobFile> chosen(bool all) {
  std::vector<JobFile> jobs;
  std::size_t ended = 0;
  for (JobFile& job : indexed_jobs())
    if (all || job.running() || may_continue(job) || ended++ < most_ended) jobs.push_back(std::move(job));
  std::map<std::string, std::size_t> place;  // Of the newest attempt, by the id of the first.
  for (std::size_t i = 0; i < jobs.size(); ++i) place.try_emplace(first_id_of(jobs[i]), i);
  std::stable_sort(jobs.begin(), jobs.end(), [&place](const JobFile& one, const JobFile& other) {
    return place.at(first_id_of(one)) < place.at(first_id_of(other));
  });
  return jobs;
}

// Which attempt at its job each is; empty for a job without another one.
std::vector<std::string> attempt_column(const std::vector<JobFile>& jobs) {
  std::map<std::string, std::size_t> attempts;
  for (const JobFile& job : jobs) {
    std::size_t& last = attempts[first_id_of(job)];
    last = std::max(last, attempt_of(job));
  }
  std::vector<std::string> column;
  column.reserve(jobs.size());
  for (const JobFile& job : jobs)
    column.push_back(attempts[first_id_of(job)] > 1 ? std::to_string(attempt_of(job)) : "-");
  return column;
}

void insert_column(std::vector<std::vector<std::string>>& rows, std::ptrdiff_t at, const std::string& heading,
                   const std::vector<std::string>& values) {
  if (std::all_of(values.begin(), values.end(), [](const std::string& value) { return value == "-"; }))
    return;
  rows[0].insert(rows[0].begin() + at, heading);
  for (std::size_t i = 0; i < values.size(); ++i) rows[i + 1].insert(rows[i + 1].begin() + at, values[i]);
}

void print_table(const std::vector<JobFile>& jobs) {
  constexpr std::ptrdiff_t attempt_place = 6;  // Before PROGRAM; that of the name is 1.
  std::vector<std::vector<std::string>> rows{
      {"JOB", "STATE", "BEGAN", "RAN FOR", "RANKS", "NODES", "PROGRAM", "FOLDER"}};
  std::vector<std::string> names;
  for (const JobFile& job : jobs) {
    const std::string command = base::clean_line(command_of(job), most_command_bytes);
    const auto time = job.ran_for();
    rows.push_back({job.id, state_of(job), local_time(job.began_ns), time ? base::elapsed(*time) : "-",
                    std::to_string(job.world_size), std::to_string(nodes_of(job)), command,
                    log_dir_of(job).string()});
    names.push_back(job.name.empty() ? "-" : job.name);
  }
  insert_column(rows, attempt_place, "ATTEMPT", attempt_column(jobs));
  insert_column(rows, 1, "NAME", names);
  std::fputs(columns(rows).c_str(), stdout);
}

void print_json(const std::vector<JobFile>& jobs) {
  ordered_json list = ordered_json::array();
  for (const JobFile& job : jobs) {
    ordered_json entry{{"id", job.id}};
    if (!job.name.empty()) entry["name"] = job.name;
    entry.update({{"attempt", attempt_of(job)},
                  {"first_job_id", first_id_of(job)},
                  {"state", job.state},
                  {"began_ns", job.began_ns}});
    if (const auto time = job.ran_for()) entry["duration_ms"] = time->count();
    entry.update({{"ranks", job.world_size},
                  {"nodes", nodes_of(job)},
                  {"argv", job.argv},
                  {"log_dir", log_dir_of(job).string()},
                  {"detached", job.supervisor.detached},
                  {"pid", job.supervisor.pid},
                  {"host", job.supervisor.host}});
    if (job.status) entry["status"] = *job.status;
    list.push_back(std::move(entry));
  }
  std::fputs(json_text(list).c_str(), stdout);
}

int run_ps(const PsOptions& options) {
  const std::vector<JobFile> jobs = chosen(options.all);
  if (options.quiet)
    for (const JobFile& job : jobs) std::printf("%s\n", base::clean_line(job.id).c_str());
  else if (options.json)
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
  CLI::Option* quiet = command->add_flag("-q,--quiet", options->quiet, "Only the ids, one a line");
  command->add_flag("--json", options->json, "As JSON")->excludes(quiet);
  command->footer(ps_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_ps(*options); });
}

}  // namespace adarun::cli
