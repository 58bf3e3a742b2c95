// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/batch_kinds.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/shell_word.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/script/script_notes.h"
#include "launcher/hosts/name_ranges.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

using std::chrono::seconds;

constexpr seconds longest = std::chrono::hours(24 * 10'000);

std::vector<long> numbers_in(const std::string& text) {
  std::vector<long> numbers(1, 0);
  for (const char c : text) {
    if (c == ':') {
      numbers.push_back(0);
    } else {
      numbers.back() = 10 * numbers.back() + (c - '0');
    }
  }
  return numbers;
}

using std::chrono::minutes;
using templates::Values;

using TimeCheck = std::string (*)(const std::string& text);

// How long before the limit ranks are told, where the batch system can do that; a shorter job is not warned.
constexpr seconds warning_time{120};

// qsub may read 4,095 bytes of a line: what is beyond them ends the options.
constexpr std::size_t most_pbs_line_bytes = 4000;

void add_batch(CLI::App& command, ScriptJob& job, const std::string& who_chooses,
               TimeCheck check_time = check_time_limit) {
  add_site_nodes(command, job, "So many nodes, chosen by " + who_chooses,
                 "Ranks on each of them (default: 1)");
  command.add_option("--time", job.time_limit, "Limit of the job (default: the site's)")
      ->check(check_time)
      ->type_name("[D-]H:M:S");
  add_text(command, "--name", job.name, "NAME", "Of the job (default: adarun)");
}

void add_gpus(CLI::App& command, ScriptJob& job) {
  add_number(command, "--gpus-per-node", job.gpus_per_node, {1, 65536}, "GPUs of each node (default: none)");
}

std::size_t ranks_of_node(const launcher::Placement& placement, std::size_t node) {
  return placement.table.servers[node].devices.size();
}

// Those of the node that has most.
std::size_t tasks_per_node(const launcher::Placement& placement, const ScriptJob& job) {
  if (placement.hosts.empty()) return static_cast<std::size_t>(job.tasks_per_node);
  std::size_t tasks = 1;
  for (std::size_t node = 0; node < placement.hosts.size(); ++node)
    tasks = std::max(tasks, ranks_of_node(placement, node));
  return tasks;
}

std::vector<std::string> names_in(const launcher::Placement& placement) {
  std::vector<std::string> names;
  names.reserve(placement.hosts.size());
  for (const launcher::Host& host : placement.hosts) names.push_back(host.name);
  return names;
}

// A list of one member, or none.
std::vector<Values> optional_value(bool wanted, const std::string& name, const std::string& text) {
  if (!wanted) return {};
  return {{{{name, text}}, {}}};
}

// All words are on one line each, so that none can become a line of options for the batch system.
void complete_batch(Values& values, const launcher::Placement& placement, const ScriptJob& job,
                    const std::string& hosts) {
  values.texts["tasks_per_node"] = std::to_string(tasks_per_node(placement, job));
  values.texts["adarun"] = base::one_line_word(base::own_program());
  values.texts["where"] = one_line_words(job.where);
  values.texts["program"] = one_line_words(job.program).substr(1);
  values.lists["nodelist"] = optional_value(!placement.hosts.empty(), "hosts", hosts);
  values.lists["gpus"] =
      optional_value(job.gpus_per_node > 0, "count", std::to_string(std::max(job.gpus_per_node, 0)));
}

// `who`: as in "LSF knows nodes by their names"; `starter`: what starts all as the user.
void tell_what_is_left_out(const std::string& script, const launcher::Placement& placement,
                           const std::string& who, const std::string& starter) {
  const ScriptNotes notes(script, placement);
  notes.tell_addresses(who + " knows nodes by their names");
  notes.tell_users(who + " starts all as who calls " + starter);
}

std::optional<seconds> time_limit_of(const ScriptJob& job) {
  if (job.time_limit.empty()) return std::nullopt;
  const std::optional<seconds> limit = parse_time_limit(job.time_limit);
  if (!limit || *limit == seconds(0))
    throw ExitError(exit_usage, "--time: \"" + job.time_limit + "\": wanted more than 0");
  return limit;
}

// The lists time_limit, with `time`, and warning, of one member if ranks are warned before the limit.
void add_time_limit(Values& values, const std::string& text, bool has_warning) {
  values.lists["time_limit"] = optional_value(!text.empty(), "time", text);
  values.lists["warning"] = optional_value(has_warning, "seconds", std::to_string(warning_time.count()));
}

bool is_long(const std::optional<seconds>& limit) {
  return limit && *limit >= 2 * warning_time;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// "ncpus=8:mpiprocs=8:ngpus=8"
std::string pbs_chunk(std::size_t ranks, const ScriptJob& job) {
  const std::string count = std::to_string(ranks);
  return "ncpus=" + count + ":mpiprocs=" + count +
         (job.gpus_per_node > 0 ? ":ngpus=" + std::to_string(job.gpus_per_node) : std::string());
}

// The nodes as qsub's -l select= wants them: each with so many lines in the file of PBS_NODEFILE as it has
// ranks.
std::string pbs_select(const launcher::Placement& placement, const ScriptJob& job) {
  if (placement.hosts.empty())
    return std::to_string(job.node_count) + ":" + pbs_chunk(tasks_per_node(placement, job), job);
  std::vector<std::string> chunks;
  for (std::size_t node = 0; node < placement.hosts.size(); ++node)
    chunks.push_back("1:host=" + placement.hosts[node].name + ":" +
                     pbs_chunk(ranks_of_node(placement, node), job));
  return joined(chunks, "+");
}

void require_names_of_pbs(const launcher::Placement& placement) {
  for (const launcher::Host& host : placement.hosts)
    if (host.name.find(':') != std::string::npos)
      throw ExitError(exit_usage, "script pbs: " + host.name +
                                      ": PBS has colons between parts of a request: wanted the node's name");
}

void require_select_fits(const std::string& select, std::size_t nodes) {
  const std::size_t bytes = std::string_view("#PBS -l select=").size() + select.size();
  if (bytes > most_pbs_line_bytes)
    throw ExitError(exit_no, "script pbs: the line that names its " + std::to_string(nodes) +
                                 " nodes would have " + std::to_string(bytes) +
                                 " bytes, and qsub cuts lines of more than " +
                                 std::to_string(most_pbs_line_bytes) + "; with --nodes PBS chooses them");
}

// LSF has one number of slots for all hosts.
void tell_uneven_slots(const launcher::Placement& placement, std::size_t most) {
  std::vector<std::string> fewer;
  for (std::size_t node = 0; node < placement.hosts.size(); ++node)
    if (ranks_of_node(placement, node) < most) fewer.push_back(placement.hosts[node].name);
  ScriptNotes("script lsf", placement)
      .tell(fewer, "LSF is asked for " + std::to_string(most) +
                       " slots on each host, as many as the largest has ranks");
}

}  // namespace

std::optional<seconds> parse_time_limit(const std::string& text) {
  static const std::regex forms("(?:([0-9]{1,9})-)?([0-9]{1,9}(?::[0-9]{1,9}){0,2})");
  std::smatch parts;
  if (!std::regex_match(text, parts, forms)) return std::nullopt;
  const bool has_days = parts[1].matched;
  std::vector<long> numbers = numbers_in(parts[2].str());
  if (!has_days && numbers.size() < 3) numbers.insert(numbers.begin(), 0);  // No hours.
  numbers.resize(3, 0);
  seconds sum = std::chrono::hours(numbers[0]) + std::chrono::minutes(numbers[1]) + seconds(numbers[2]);
  if (has_days) sum += std::chrono::hours(24 * numbers_in(parts[1].str()).front());
  if (sum > longest) return std::nullopt;
  return sum;
}

std::string check_time_limit(const std::string& text) {
  return parse_time_limit(text)
             ? std::string()
             : ranktable::in_quotes(text) + ": wanted minutes, or a time such as 2:00:00 or 1-12:00";
}

std::string check_slurm_time_limit(const std::string& text) {
  static const std::regex none("UNLIMITED|INFINITE", std::regex::icase);
  return std::regex_match(text, none) ? std::string() : check_time_limit(text);
}

std::string clock_text(seconds time) {
  const long all = time.count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
  return text.data();
}

void add_sbatch(CLI::App& command, ScriptJob& job) {
  add_batch(command, job, "Slurm", check_slurm_time_limit);
}

void add_pbs(CLI::App& command, ScriptJob& job) {
  add_batch(command, job, "PBS");
  add_gpus(command, job);
}

void add_lsf(CLI::App& command, ScriptJob& job) {
  add_batch(command, job, "LSF");
  add_gpus(command, job);
}

void add_flux(CLI::App& command, ScriptJob& job) {
  add_batch(command, job, "Flux");
}

void complete_sbatch(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  complete_batch(values, placement, job, launcher::fold_names(names_in(placement)));
  const std::optional<seconds> limit = parse_time_limit(job.time_limit);  // 0: none.
  add_time_limit(values, job.time_limit, !limit || *limit == seconds(0) || is_long(limit));
  tell_what_is_left_out("script sbatch", placement, "Slurm", "sbatch");
}

void complete_pbs(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  if (job.name.front() >= '0' && job.name.front() <= '9')
    throw ExitError(exit_usage, "--name: \"" + job.name + "\": PBS wants a letter first");
  require_names_of_pbs(placement);
  complete_batch(values, placement, job, "");
  values.texts["select"] = pbs_select(placement, job);
  require_select_fits(values.texts["select"], placement.hosts.size());
  const std::optional<seconds> limit = time_limit_of(job);
  add_time_limit(values, limit ? clock_text(*limit) : "", false);
  tell_what_is_left_out("script pbs", placement, "PBS", "qsub");
}

void complete_lsf(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  complete_batch(values, placement, job, joined(names_in(placement), " "));
  const std::size_t nodes = std::stoul(values.texts.at("node_count"));
  values.texts["slots"] = std::to_string(nodes * tasks_per_node(placement, job));
  const std::optional<seconds> limit = time_limit_of(job);
  add_time_limit(values, limit ? std::to_string(std::chrono::ceil<minutes>(*limit).count()) : "",
                 is_long(limit));
  tell_uneven_slots(placement, tasks_per_node(placement, job));
  tell_what_is_left_out("script lsf", placement, "LSF", "bsub");
}

void complete_flux(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  complete_batch(values, placement, job, launcher::fold_names(names_in(placement)));
  const std::optional<seconds> limit = time_limit_of(job);
  add_time_limit(values, limit ? std::to_string(limit->count()) : "", false);
  if (placement.hosts.empty())  // Flux has hosts, but says nothing of ranks.
    values.texts["where"] += " --nproc-per-node " + values.texts.at("tasks_per_node");
  tell_what_is_left_out("script flux", placement, "Flux", "flux batch");
}

}  // namespace adarun::cli
