// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/console/print.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* ps_examples = R"(
Examples:
  adarun ps                        the jobs that run, and the last ones that ended
  adarun ps -a                     all jobs that are remembered
  adarun ps -n 30 --state failed   the last 30 that failed
  adarun ps --name 'sweep*' -q     the ids of these jobs, one a line
  adarun ps --json                 the same as an array

Exit status: 0.)";

constexpr std::size_t most_command_bytes = 40;
constexpr std::size_t least_command_bytes = 8;

struct PsOptions {
  bool all = false;
  std::optional<std::uint64_t> most_ended;
  std::string state;  ///< Empty: any.
  std::string name;   ///< A pattern; empty: any.
  bool quiet = false;
  bool json = false;
};

/// A job to list, and the word that names it: its name if it is the newest with that name, else its id.
struct ListedJob {
  JobFile job;
  std::string word;
};

struct Listing {
  std::vector<ListedJob> jobs;
  std::size_t left_out = 0;
};

std::tm local(std::time_t time) {
  std::tm local{};
  localtime_r(&time, &local);
  return local;
}

// "10:45" of today, "11-21 10:45" of this year, "2025-11-21" of others.
std::string short_time(std::int64_t time_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const std::tm at = local(static_cast<std::time_t>(time_ns / ns_per_s));
  const std::tm now = local(std::time(nullptr));
  const bool is_today = at.tm_year == now.tm_year && at.tm_yday == now.tm_yday;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(),
                is_today                    ? "%H:%M"
                : at.tm_year == now.tm_year ? "%m-%d %H:%M"
                                            : "%Y-%m-%d",
                &at);
  return text.data();
}

std::size_t nodes_of(const JobFile& job) {
  std::set<std::string> nodes;
  for (const JobFile::Rank& rank : job.ranks) nodes.insert(rank.node);
  return nodes.size();
}

std::string state_of(const JobFile& job) {
  std::string text = job.state;
  if (job.running() && !is_of_this_machine(job)) text += " on " + job.supervisor.host;
  if (job.status && *job.status != 0) text += " (" + std::to_string(*job.status) + ")";
  return may_continue(job) ? text + ", may continue" : text;
}

bool is_wanted(const JobFile& job, const PsOptions& options) {
  return (options.state.empty() || job.state == options.state) &&
         (options.name.empty() ||
          (!job.name.empty() && fnmatch(options.name.c_str(), job.name.c_str(), 0) == 0));
}

// With the attempts at a job one below the other, the last one first.
Listing chosen(const PsOptions& options) {
  constexpr std::uint64_t ended_by_default = 10;
  const std::uint64_t most_ended = options.most_ended.value_or(ended_by_default);
  Listing found;
  std::size_t ended = 0;
  std::set<std::string> names;
  for (JobFile& job : indexed_jobs()) {
    const bool is_newest = !job.name.empty() && names.insert(job.name).second;
    if (!is_wanted(job, options)) continue;
    if ((options.all && !options.most_ended) || job.running() || may_continue(job) || ended++ < most_ended) {
      std::string word = is_newest ? job.name : job.id;
      found.jobs.push_back({std::move(job), std::move(word)});
    } else {
      ++found.left_out;
    }
  }
  std::map<std::string, std::size_t> place;  // Of the newest attempt, by the id of the first.
  for (std::size_t i = 0; i < found.jobs.size(); ++i) place.try_emplace(first_id_of(found.jobs[i].job), i);
  std::stable_sort(found.jobs.begin(), found.jobs.end(),
                   [&place](const ListedJob& one, const ListedJob& other) {
                     return place.at(first_id_of(one.job)) < place.at(first_id_of(other.job));
                   });
  return found;
}

// Which attempt at its job each is; empty if no job has another one.
std::vector<std::string> attempt_column(const std::vector<ListedJob>& jobs) {
  std::map<std::string, std::size_t> attempts;
  for (const ListedJob& each : jobs) {
    std::size_t& last = attempts[first_id_of(each.job)];
    last = std::max(last, attempt_of(each.job));
  }
  const auto is_one = [](const auto& job) { return job.second <= 1; };
  if (std::all_of(attempts.begin(), attempts.end(), is_one)) return {};
  std::vector<std::string> column;
  for (const ListedJob& each : jobs)
    column.push_back(attempts[first_id_of(each.job)] > 1 ? std::to_string(attempt_of(each.job)) : "-");
  return column;
}

std::string table_of(const std::vector<ListedJob>& jobs, std::size_t command_bytes, bool with_folders) {
  const std::vector<std::string> attempts = attempt_column(jobs);
  std::vector<std::vector<std::string>> rows{{"JOB", "STATE", "BEGAN", "RAN FOR", "RANKS", "NODES"}};
  for (const auto& [job, word] : jobs) {
    const auto time = job.ran_for();
    rows.push_back({word, state_of(job), short_time(job.began_ns), time ? base::elapsed(*time) : "-",
                    std::to_string(job.world_size), std::to_string(nodes_of(job))});
  }
  const auto add_column = [&rows](const std::string& heading, const auto& text_of_row) {
    rows[0].push_back(heading);
    for (std::size_t i = 1; i < rows.size(); ++i) rows[i].push_back(text_of_row(i - 1));
  };
  if (!attempts.empty()) add_column("ATTEMPT", [&](std::size_t i) { return attempts[i]; });
  add_column("PROGRAM",
             [&](std::size_t i) { return base::clean_line(command_of(jobs[i].job), command_bytes); });
  if (with_folders) add_column("FOLDER", [&](std::size_t i) { return log_dir_of(jobs[i].job).string(); });
  return columns(rows);
}

// Each line with at most `width` bytes; "..." ends one that was longer.
std::string cut(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += base::clean_line(line, width) + "\n";
  return result;
}

// Without folders, and with shorter commands, where the terminal is not as wide as the table.
std::string fitting_table(const std::vector<ListedJob>& jobs) {
  std::string whole = table_of(jobs, most_command_bytes, true);
  const std::optional<std::size_t> width = terminal_columns();
  if (!width || widest_line(whole) <= *width) return whole;
  std::string short_one = table_of(jobs, most_command_bytes, false);
  const std::size_t wide = widest_line(short_one);
  if (wide <= *width) return short_one;
  const std::size_t too_much = wide - *width;
  const std::size_t command_bytes = most_command_bytes - std::min(too_much, most_command_bytes);
  return cut(table_of(jobs, std::max(command_bytes, least_command_bytes), false), *width);
}

void print_table(const Listing& listing) {
  std::fputs(fitting_table(listing.jobs).c_str(), stdout);
  if (listing.left_out > 0)
    std::printf("%s more %s ended: adarun ps -a\n", base::grouped(listing.left_out).c_str(),
                listing.left_out == 1 ? "has" : "have");
}

void print_json(const std::vector<ListedJob>& jobs) {
  ordered_json list = ordered_json::array();
  for (const auto& [job, word] : jobs) {
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
  const Listing listing = chosen(options);
  if (options.quiet)
    for (const ListedJob& each : listing.jobs) std::printf("%s\n", base::clean_line(each.job.id).c_str());
  else if (options.json)
    print_json(listing.jobs);
  else
    print_table(listing);
  return exit_done;
}

}  // namespace

void add_ps(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PsOptions>();
  CLI::App* command = app.add_subcommand("ps", "List the jobs that run, and the last ones that ended");
  command->add_flag("-a,--all", options->all, "All jobs that are remembered");
  add_count(*command, "-n,--last", options->most_ended, "Of those that ended the last N (default: 10)");
  command->add_option("--state", options->state, "Only these")
      ->check(CLI::IsMember({"running", "done", "failed", "interrupted", "lost"}))
      ->type_name("running|done|failed|interrupted|lost");
  command->add_option("--name", options->name, "Only jobs with this name, such as run7 or 'sweep*'")
      ->check(names_a_place())
      ->type_name("PATTERN");
  CLI::Option* quiet = command->add_flag("-q,--quiet", options->quiet, "Only the ids, one a line");
  command->add_flag("--json", options->json, "As JSON")->excludes(quiet);
  command->footer(ps_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_ps(*options); });
}

}  // namespace adarun::cli
