// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/parse_json.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/rank_set.h"
#include "cli/commands/commands.h"
#include "cli/commands/status_table.h"
#include "cli/jobs/find_job.h"
#include "launcher/record/job_file.h"
#include "launcher/supervisor/control_server.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* status_examples = R"(
Examples:
  adarun status                        the only job that runs, else the last one
  adarun status 20261121-104502        a job by its id, or the beginning of it, or by its name
  adarun status log_output --json      the job of a log folder

A job that was started again has the id of its first attempt; the id of another attempt, or a log folder, stands for
that attempt.

Exit status: 0 it runs, may be started again or has ended well, 1 it has failed, was stopped or has lost its supervisor,
3 that cannot be told.)";

constexpr std::size_t most_shown = 16;
constexpr std::size_t most_attempts_shown = 8;

struct StatusOptions {
  std::string job;
  bool all = false;
  bool json = false;
};

// The status as recorded in job.json.
ordered_json recorded_status(const JobFile& job) {
  ordered_json ranks = ordered_json::array();
  for (const JobFile::Rank& rank : job.ranks) {
    ordered_json& json = ranks.emplace_back(ordered_json{{"rank", rank.rank}, {"node", rank.node}});
    if (rank.device_id) json["device_id"] = *rank.device_id;
    if (!rank.role.empty()) json["role"] = rank.role;
    if (rank.pid != 0) json["pid"] = rank.pid;
    json["state"] = rank.state;
  }
  ordered_json end{{"id", job.id}};
  if (!job.name.empty()) end["name"] = job.name;
  end.update({{"state", job.state}, {"ranks", std::move(ranks)}});
  if (job.status) end["status"] = *job.status;
  end["failures"] = job.failures;
  return end;
}

ordered_json live_status(const JobFile& job) {
  const std::string text = launcher::ask_control_server(job.supervisor.socket(), "status");
  auto status = base::parse_json<ordered_json>(text);
  if (!status.is_object()) throw std::runtime_error("its supervisor answers what is no status");
  // It has just started and knows no more than job.json.
  return status.contains("ranks") ? status : recorded_status(job);
}

void add_attempts(ordered_json& status, const JobFile& job) {
  status["attempt"] = attempt_of(job);
  if (job.earlier.empty()) return;
  status["earlier_attempts"] = ordered_json::parse(launcher::earlier_attempts_json(job.earlier));
}

std::string since(const JobFile& job) {
  const auto time = job.ran_for();
  return time ? (job.running() ? " for " : " after ") + base::elapsed(*time) : "";
}

// "job ID" or "job NAME (ID)".
std::string title_of(const JobFile& job) {
  return job.title() + (job.name.empty() ? "" : " (" + base::clean_line(job.id) + ")");
}

// "118", or "118..120" if the ranks differ; empty if no step is known.
std::string steps_of(const ordered_json& ranks) {
  std::set<std::uint64_t> steps;
  for (const auto& rank : ranks)
    if (rank.contains("step")) steps.insert(rank["step"].get<std::uint64_t>());
  if (steps.empty()) return "";
  const std::string first = std::to_string(*steps.begin());
  return steps.size() == 1 ? first : first + ".." + std::to_string(*steps.rbegin());
}

// Of a rank that runs also whether a signal has stopped its process.
std::string state_in(const ordered_json& rank) {
  const std::string halted_by = rank.value("halted_by", "");
  return halted_by.empty() ? rank.value("state", "") : "halted by " + halted_by;
}

std::optional<std::chrono::milliseconds> time_in(const ordered_json& rank, const char* key) {
  if (!rank.contains(key)) return std::nullopt;
  return std::chrono::milliseconds(rank.value(key, std::int64_t{0}));
}

// Rows for ranks with live status, that is, of a running job.
std::vector<RankStatusRow> rows_in(const ordered_json& ranks) {
  std::vector<RankStatusRow> rows;
  for (const auto& rank : ranks) {
    if (!rank.contains("last_line")) continue;
    RankStatusRow& row = rows.emplace_back();
    row = {rank.value("rank", 0U), rank.value("node", ""), state_in(rank), {}, {}, {}, ""};
    row.last_line = rank.value("last_line", "");
    row.printed = rank.value("printed", true);
    row.role = rank.value("role", "");
    if (rank.contains("step")) row.step = rank.value("step", std::uint64_t{0});
    if (rank.value("state", "") != "running") continue;
    row.silent = time_in(rank, "silent_ms");
    row.since_step = time_in(rank, "since_step_ms");
  }
  return rows;
}

// A rank that still waits when its job has ended was never started.
std::string shown_state(const JobFile& job, const std::string& state) {
  return state == "waiting" && job.status ? "never started" : state;
}

// Which attempt it is, and the earlier ones, the newest first.
void print_attempts(const JobFile& job, bool all) {
  if (job.earlier.empty()) return;
  std::printf("  attempt  %zu on %s\n", attempt_of(job), base::clean_line(node_list_of(job)).c_str());
  const std::size_t shown = all ? job.earlier.size() : std::min(job.earlier.size(), most_attempts_shown);
  for (std::size_t back = 1; back <= shown; ++back) {
    const std::size_t number = job.earlier.size() - back;
    std::printf("  before   %zu: %s\n", number + 1, text_of(job.earlier[number]).c_str());
  }
  if (shown < job.earlier.size())
    std::printf("           and %zu before these\n", job.earlier.size() - shown);
}

// Which ranks continue, since when, and why.
void print_members(const ordered_json& status) {
  if (!status.contains("members")) return;
  const ordered_json& members = status["members"];
  const ordered_json& ranks = members.value("ranks", ordered_json::array());
  std::printf("  members  %zu of %zu ranks, generation %llu, for %s: %s\n", ranks.size(),
              status["ranks"].size(),
              static_cast<unsigned long long>(members.value("generation", std::uint64_t{0})),
              base::elapsed(std::chrono::milliseconds(members.value("since_ms", std::int64_t{0}))).c_str(),
              base::clean_line(members.value("why", "")).c_str());
}

void print_roles(const ordered_json& ranks) {
  std::map<std::string, std::set<std::uint32_t>> roles;
  for (const auto& rank : ranks)
    if (rank.contains("role")) roles[rank.value("role", "")].insert(rank.value("rank", 0U));
  for (const auto& [role, its] : roles)
    std::printf("  role     %s [%s]\n", base::clean_line(role).c_str(), shown_ranks(its).c_str());
}

void print_text(const JobFile& job, const ordered_json& status, bool all) {
  std::printf("%s: %s%s: %s\n", title_of(job).c_str(), base::clean_line(job.state).c_str(),
              since(job).c_str(), command_of(job).c_str());
  print_attempts(job, all);
  print_members(status);
  std::map<std::string, std::set<std::uint32_t>> states;
  for (const auto& rank : status["ranks"])
    states[shown_state(job, state_in(rank))].insert(rank.value("rank", 0U));
  for (const auto& [state, ranks] : states)
    std::printf("  %-8s [%s]\n", base::clean_line(state).c_str(), shown_ranks(ranks).c_str());
  print_roles(status["ranks"]);
  if (const std::string steps = steps_of(status["ranks"]); !steps.empty())
    std::printf("  step     %s\n", steps.c_str());
  const std::vector<RankStatusRow> rows = rows_in(status["ranks"]);
  if (!rows.empty()) std::fputs(status_table(rows, all ? rows.size() : most_shown).c_str(), stdout);
  for (const std::string& failure : job.failures) std::printf("  %s\n", base::clean_line(failure).c_str());
  if (job.state == "lost")
    std::printf(
        "  these are the states that it wrote last: its supervisor (process %d) is gone; the agents end the "
        "ranks within the lease\n",
        static_cast<int>(job.supervisor.pid));
  if (may_continue(job))
    std::printf("  its supervisor (process %d) still runs: another attempt may follow\n",
                static_cast<int>(job.supervisor.pid));
  std::printf("  logs in %s/\n", base::clean_line(log_dir_of(job).string()).c_str());
}

int run_status(const StatusOptions& options) {
  JobFile job = find_job(options.job);
  if (!job.running() && !std::filesystem::is_directory(options.job)) job = last_attempt_of(job);
  if (job.running()) require_here(job);
  ordered_json status = or_exit<std::runtime_error>(
      exit_failed, [&] { return job.running() ? live_status(job) : recorded_status(job); },
      job.title() + ": ");
  if (may_continue(job)) status["may_continue"] = true;
  add_attempts(status, job);
  if (options.json)
    std::fputs(json_text(status).c_str(), stdout);
  else
    print_text(job, status, options.all);
  return job.running() || job.state == "done" || may_continue(job) ? exit_done : exit_no;
}

}  // namespace

void add_status(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<StatusOptions>();
  CLI::App* command = app.add_subcommand("status", "Tell where the ranks of a job stand");
  add_job_argument(*command, options->job);
  command->add_flag("-a,--all", options->all,
                    "All ranks, not only those that have been idle for longest, and all attempts");
  command->add_flag("--json", options->json, "As JSON");
  command->footer(status_examples);
  command->callback([options, &invocation] { invocation.exit_status = run_status(*options); });
}

}  // namespace adarun::cli
