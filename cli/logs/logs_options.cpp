// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/logs_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/wall_clock.h"
#include "cli/arguments/command.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/rank_set.h"
#include "cli/arguments/roles.h"
#include "cli/logs/log_lines.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {
namespace {

constexpr const char* examples = R"(
Without an argument it reads ./log_output; a folder is read as by `adarun monitor`.

Examples:
  adarun logs --rank 0,8-15                  the logs of some ranks
  adarun logs -n 5                           the last 5 lines of each rank
  adarun logs --role decode --grep Error     those of a role, in a job of several programs
  adarun logs --follow --tag-output          every rank's lines as they come, until the job ends
  adarun logs 20261121-010203 --node node3   the ranks that ran on a node, of a job by its id
  adarun logs 20261121-010203 log_output     several jobs, each with its name in the headings
  adarun logs --since 10m --grep 'NaN|nan'   lines of the last ten minutes with a pattern of grep -E
  adarun logs --attempts --rank 0            what rank 0 printed in each attempt at a job that was started again
  adarun logs --merge                        all ranks in one, by time; lines alike once: [0-31,40] text
  adarun logs 20261121-010203 --collect      what agents could not deliver of a job whose supervisor has died

Files on nodes, of jobs that adarun did not start as well:
  adarun logs --hosts node[1-8] --path '/data/run7/*.log' --collect DIR    to DIR/<host>/<path>
  adarun logs --hosts node[1-8] --path '/data/run7/*.log' --grep Error     printed
  adarun logs 20261121-010203 --path /var/log/npu --collect DIR            from the nodes of a job

Exit status: 0 done, 1 nothing matched, 2 wrong usage, 3 nothing to read or not all could be, 130 ended by Ctrl-C.)";

[[noreturn]] void refuse(const std::string& words) {
  throw ExitError(exit_usage, words);
}

void take_since(LogsOptions& options, const std::string& text) {
  options.since_ms = parse_since(text, base::now_ns() / 1'000'000);
  if (!options.since_ms)
    throw CLI::ValidationError(
        "--since", "\"" + text + "\": wanted a time such as 10m, 14:30 or \"2026-11-21 14:30:00\"");
}

void take_pattern(LogsOptions& options, const std::string& text) {
  try {
    [[maybe_unused]] const LineFilter usable(text);
    options.pattern = text;
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--grep", error.what());
  }
}

void take_ranks(LogsOptions& options, const std::vector<std::string>& texts) {
  try {
    for (const std::string& text : texts) options.ranks.merge(parse_ranks(text));
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError("--rank", error.what());
  }
}

void take_roles(LogsOptions& options, const std::string& text) {
  for (const std::string_view name : launcher::split_items(text)) {
    if (!is_role_name(std::string(name)))
      throw CLI::ValidationError("--role", "\"" + std::string(name) + "\": wanted names of roles");
    options.roles.emplace(name);
  }
}

void add_choices(CLI::App& command, LogsOptions& options) {
  using Texts = std::vector<std::string>;
  command
      .add_option_function<Texts>(
          "--rank", [&options](const Texts& texts) { take_ranks(options, texts); },
          "Only these ranks: 0,8-15")
      ->allow_extra_args(false)
      ->type_name("SET");
  add_text(command, "--node", options.node, "LIST", "Only ranks that ran on these nodes: node3,node[5-8]");
  add_parsed(command, "--role", "NAMES", "Only ranks of these roles: prefill,decode",
             [&options](const std::string& text) { take_roles(options, text); });
  add_count(command, "-n,--tail", options.tail, "Only the last N lines of each");
  add_parsed(command, "--since", "TIME", "Only lines printed since then: 10m, 14:30, \"2026-11-21 14:30:00\"",
             [&options](const std::string& text) { take_since(options, text); });
  add_parsed(command, "--grep", "PATTERN", "Only lines with this pattern, as of grep -E",
             [&options](const std::string& text) { take_pattern(options, text); });
}

}  // namespace

CLI::Option* add_logs_options(CLI::App& command, LogsOptions& options) {
  command
      .add_option("place", options.places, "Jobs (by id, its beginning or name), log folders or log files")
      ->check(names_a_place())
      ->type_name("JOB|DIR|FILE");
  add_choices(command, options);
  command.add_flag("-f,--follow", options.follow, "Continue as the logs grow, until the job ends");
  command.add_flag("--merge", options.merge, "All logs in one, by time; lines alike once, with their ranks");
  command.add_flag("--tag-output", options.tag_output, "Put [rank] before each line");
  command.add_flag("--attempts", options.attempts,
                   "Of a job that was started again also the logs of earlier attempts, the first one first");
  CLI::Option* collect =
      command.add_option("--collect", options.collect_dir,
                         "Fetch the files of --path into DIR; without DIR: what agents of a job could not "
                         "deliver before they had to end");
  collect->type_name("[DIR]")->expected(0, 1);
  command
      .add_option("--path", options.paths,
                  "Files on the nodes: a path, with * ? [..] as in a shell, or a folder")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_host_list(command, options.nodes);
  add_node_options(command, options.nodes);
  command.footer(examples);
  return collect;
}

std::string only_place(const LogsOptions& options) {
  if (!options.places.empty()) return options.places.front();
  std::string folder = std::string("./") + launcher::default_log_dir;
  std::error_code none;
  return std::filesystem::is_directory(folder, none) ? folder : "";
}

void check_usage(const LogsOptions& options) {
  const bool chooses_lines = options.follow || options.merge || options.tail || options.since_ms ||
                             options.pattern || options.tag_output;
  const std::string others =
      options.places.size() > 1 ? ", found " + options.places[0] + " and " + options.places[1] : "";
  if (!others.empty() && (options.follow || options.merge))
    refuse("--follow and --merge: wanted one job" + others);
  if (!others.empty() && (options.collect || !options.paths.empty()))
    refuse("--collect and --path: wanted one job" + others);
  if (options.attempts && !others.empty()) refuse("--attempts: wanted one job" + others);
  if (options.attempts && (options.collect || !options.paths.empty()))
    refuse("--attempts prints the logs of a job: --collect and --path do not go with it");
  if (options.collect && chooses_lines)
    refuse(
        "--collect brings whole files: --follow, --tail, --since, --grep, --merge and --tag-output do not go "
        "with it");
  if (!options.nodes.hosts.empty() && options.paths.empty())
    refuse("--hosts: say which files of these hosts: --path GLOB");
  if (!options.nodes.hosts.empty() && !options.places.empty())
    refuse("--hosts and " + options.places[0] + ": wanted one of them, a list of hosts or a job");
  if (!options.node.empty() && !options.paths.empty() && options.places.empty() && has_hosts(options.nodes))
    refuse("--node chooses nodes of a job; of hosts that are given, --exclude leaves some out");
  if (!options.paths.empty() && !options.ranks.empty())
    refuse("--rank and --path: files of nodes have no ranks; --node chooses nodes");
  if (!options.roles.empty() && (options.collect || !options.paths.empty()))
    refuse("--role chooses logs of ranks: --collect and --path do not go with it");
  if (options.collect && !options.paths.empty() && options.collect_dir.empty())
    refuse("--collect: say where to: --collect DIR");
  if (options.collect && options.paths.empty() && !(options.ranks.empty() && options.node.empty()))
    refuse(std::string(options.ranks.empty() ? "--node" : "--rank") +
           " and --collect: what agents have kept comes home whole");
  if (!options.collect_dir.empty() && options.paths.empty())
    refuse("--collect " + options.collect_dir +
           ": say which files of the nodes: --path GLOB; the logs of a job come home by themselves, and "
           "--collect alone fetches what its agents have kept");
}

}  // namespace adarun::cli
