// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/launch_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <set>
#include <sstream>

#include "base/manual/help_format.h"
#include "base/signals.h"
#include "cli/arguments/command.h"
#include "cli/arguments/job_name.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/process_limit_options.h"
#include "cli/arguments/variables.h"
#include "launcher/base/read_input.h"
#include "launcher/transport/local/local_reach.h"
#include "launcher/transport/loop/transport.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/rules.h"

namespace adarun::cli {
namespace {

using launcher::StdinReaders;
using launcher::VisibleDevices;

// As mpirun and torchrun do: ranks without a place run here, unless the user names a way to other machines.
void run_here_by_default(LaunchOptions& options) {
  const bool is_chosen = options.reach->name() != "ssh" && !options.reach->is_local();
  const bool has_place = !options.table_file.empty() || has_hosts(options) || is_chosen;
  if (has_place || (!options.counts.any() && !options.standalone)) return;
  options.reach = launcher::local_reach();
  options.via_note.clear();
  options.hosts = list_of_this_machine(options.counts);
}

void add_standalone(CLI::App& command, LaunchOptions& options) {
  CLI::Option* standalone =
      command.add_flag("--standalone", options.standalone,
                       "Run on this machine alone: one rank, or as many as -n or --nproc-per-node says");
  for (const char* place : {"--rank-table", "--hosts", "--exclude", "--via"})
    standalone->excludes(command.get_option(place));
}

constexpr std::uint64_t least_log_limit = 4096;
// An unattended job should survive a loss of the connection for some minutes.
constexpr std::chrono::milliseconds detached_lease{std::chrono::minutes(10)};

void add_ranks(CLI::App& command, LaunchOptions& options) {
  using launcher::protocol::Mpi;
  command.add_flag("--adasum", options.adasum,
                   "Refuse worlds that AdaSum does not take, before anything starts");
  add_choice<Mpi>(command, "--mpi", options.mpi, {{"auto", Mpi::auto_}, {"on", Mpi::on}, {"off", Mpi::off}},
                  "Give ranks servers for MPI: PMIx for Open MPI, PMI for MPICH (default: auto)");
  add_texts(command, "--env", options.environment, "NAME[=VALUE]",
            "Set a variable of all ranks, or pass on this shell's");
  add_text(command, "--env-file", options.environment_file, "FILE",
           "Variables of every rank: lines NAME=VALUE, or what env -0 prints");
  add_choice<VisibleDevices>(
      command, "--visible-devices", options.visible_devices,
      {{"none", VisibleDevices::none},
       {"cuda", VisibleDevices::cuda},
       {"ascend", VisibleDevices::ascend},
       {"rocm", VisibleDevices::rocm}},
      "Let each rank see its device alone, as number 0: sets CUDA_VISIBLE_DEVICES, "
      "ASCEND_RT_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES to its DEVICE_ID (default: none)");
  add_choice<StdinReaders>(
      command, "--stdin", options.stdin_readers,
      {{"0", StdinReaders::first}, {"all", StdinReaders::all}, {"none", StdinReaders::none}},
      "Which ranks read adarun's stdin (default: rank 0 reads a file, and a pipe if its program is linked "
      "with MPI; the others read /dev/null)");
  add_text(command, "--workdir", options.workdir, "DIR",
           "Folder the ranks start in, on every node (default: this one; a relative DIR is below it)");
  add_texts(command, "--stage", options.stage, "FILE[:DEST]", "Bring a file or folder to every node first");
}

void add_output(CLI::App& command, LaunchOptions& options) {
  add_text(command, "--log-dir", options.log_dir, "DIR",
           "Folder for logs and job files (default: " + options.log_dir + ")");
  add_text(command, "--trace", options.trace_file, "FILE",
           "Write where the time of the start went, for chrome://tracing or ui.perfetto.dev");
  add_size(command, "--log-limit", options.log_limit, least_log_limit,
           "Keep of each rank's log its beginning and its end, this much in all (default: everything)");
  command.add_flag("--dry-run", options.dry_run, "Say what would run where; connect to nothing");
  command.add_flag(
      "--json", options.json,
      "Print how the job ended as JSON on stdout, what ranks print on stderr; with --dry-run: the "
      "plan (docs/plan.schema.json)");
}

void add_limits(CLI::App& command, LaunchOptions& options) {
  add_duration(command, "--timeout", options.timeout, "End the job after this time (default: none)");
  add_duration(command, "--hang-timeout", options.hang_timeout,
               "End the job when no rank has printed anything for so long (default: none)");
  add_duration(command, "--lease", options.given_lease,
               "Silence after which either side gives the other up (default: " +
                   duration_text(options.lease) + ", detached: " + duration_text(detached_lease) +
                   "; at least " + duration_text(launcher::LinkOptions::least_lease) + ")",
               {.least = launcher::LinkOptions::least_lease});
  add_duration(command, "--grace", options.grace,
               "From TERM to KILL when a job is stopped (default: " + duration_text(options.grace) + ")");
}

std::set<int> exit_statuses(const std::string& text) {
  std::set<int> statuses;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const auto value = parse_whole<int>(item);
    if (!value || *value < 1 || *value > 255)
      throw CLI::ValidationError("--no-restart-on", "\"" + text + "\": wanted exit statuses such as 2,64");
    statuses.insert(*value);
  }
  return statuses;
}

void add_min_ranks(CLI::App& command, LaunchOptions& options) {
  add_number(command, "--min-ranks", options.min_ranks, {1, 1 << 20},
             "Continue without ranks that end, while so many are left, if the program can: see "
             "docs/elastic.md (default: all are needed)");
  add_number(command, "--rank-restarts", options.rank_restarts, {0, 1'000'000},
             "With --min-ranks: start a rank again that the others continue without, at most so often in all "
             "(default: 0)");
}

constexpr int restarts_if_resilient = 3;

void add_restarts(CLI::App& command, LaunchOptions& options) {
  command.add_flag("--resilient", options.resilient, "Restart after failures, without nodes that are lost");
  launcher::Restarts& restarts = options.restarts;
  add_number(command, "--restarts", restarts.most, {0, 1000},
             "Run the whole job again after a failure, at most so often (default: 0; with --resilient: 3)");
  add_duration(command, "--restart-delay", restarts.delay,
               "Before the first restart; doubles each time, up to a minute (default: none before the "
               "first, then 1s)");
  add_parsed(command, "--no-restart-on", "LIST", "Exit statuses after which the job is not run again",
             [&restarts](const std::string& text) { restarts.never_on = exit_statuses(text); });
}

void add_verbosity(CLI::App& command, base::Level& level) {
  CLI::Option* verbose = command.add_flag_function(
      "-v,--verbose",
      [&level](std::int64_t times) { level = times > 1 ? base::Level::debug : base::Level::info; },
      "Say each step: nodes, MPI servers, ranks, signals; twice (-vv): what helps to find a fault");
  command
      .add_flag_callback(
          "-q,--quiet", [&level] { level = base::Level::error; }, "Say nothing but failures")
      ->excludes(verbose);
}

void mark_everyday(CLI::App& command) {
  for (const char* name : {"--rank-table", "--hosts", "--ranks", "--env", "--stage", "--name", "--detach",
                           "--timeout", "--resilient", "--log-dir", "--dry-run"})
    command.get_option(name)->group(manual::everyday_group);
}

}  // namespace

void add_where(CLI::App& command, LaunchOptions& options) {
  add_text(command, "-r,--rank-table", options.table_file, "FILE", "Rank table: which device is which rank");
  add_host_list(command, options);
  add_text(command, "--map", options.map_file, "FILE",
           "For a table whose server_ids are no addresses: lines \"SERVER_ID HOST\"")
      ->needs("--rank-table");
}

void add_launch_options(CLI::App& command, LaunchOptions& options) {
  const auto begin_group = [&command](const char* name) { command.option_defaults()->group(name); };
  begin_group(where_group);
  add_where(command, options);
  add_rank_counts(command, options.counts);
  options.runs_ranks = true;
  begin_group("What ranks find");
  add_ranks(command, options);
  add_process_limits(command, options.process_limits);
  begin_group("Life and end of the job");
  command.add_flag("--detach", options.detach, "Return when the ranks have started; see adarun ps");
  add_job_name(command, options.name);
  add_limits(command, options);
  add_restarts(command, options);
  add_min_ranks(command, options);
  add_spares(command, options.spares);
  begin_group("How nodes are reached");
  add_node_options(command, options);
  begin_group(where_group);
  add_standalone(command, options);
  begin_group(output_group);
  add_output(command, options);
  add_verbosity(command, options.level);
  mark_everyday(command);
  command.parse_complete_callback([&options, &command] {
    options.log_dir_may_move = command.count("--log-dir") == 0;
    if (options.resilient && command.count("--restarts") == 0) options.restarts.most = restarts_if_resilient;
    require_hosts_to_exclude(options);
    run_here_by_default(options);
    log_via_choice(options);
    while (options.log_dir.size() > 1 && options.log_dir.ends_with('/')) options.log_dir.pop_back();
    options.lease = options.given_lease.value_or(options.detach ? detached_lease : options.lease);
    for (const int number : base::ignored_terminal_signals())
      options.process_limits.ignored.push_back(static_cast<std::uint8_t>(number));
  });
}

void settle_min_nodes(LaunchOptions& options, const launcher::Placement& placement) {
  const std::size_t nodes = placement.hosts.size();
  const bool can_shrink =
      !options.adasum || !ranktable::adasum_refusal(ranktable::device_count(placement.table) / 2);
  if (!options.resilient || !options.roles.empty() || nodes == 1 || !can_shrink) return;
  launcher::SpareOptions& spares = options.spares;
  if (!spares.min_nodes) spares.min_nodes = (nodes + 1) / 2;
  if (!spares.exclude_unfit) spares.exclude_repeated = true;
}

StdinReaders stdin_readers(const LaunchOptions& options) {
  if (options.stdin_readers != StdinReaders::by_kind) return options.stdin_readers;
  struct stat facts {};
  if (!options.reads_stdin || fstat(STDIN_FILENO, &facts) != 0) return StdinReaders::none;
  if (S_ISREG(facts.st_mode)) return StdinReaders::first;
  const bool is_stream = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
  return is_stream ? StdinReaders::first_of_mpi : StdinReaders::none;
}

std::vector<std::string> user_environment(const LaunchOptions& options) {
  std::vector<std::string> variables;
  if (!options.environment_file.empty()) {
    const std::string text = launcher::read_input(options.environment_file, "file of variables");
    Variables read = parse_variables(text, options.environment_file);
    for (const std::string& name : read.left_out)
      options.log->warning(options.environment_file + ": left out " + ranktable::in_quotes(name) +
                           ", a function that bash exports");
    variables = std::move(read.assignments);
  }
  for (const std::string& variable : options.environment) {
    const std::size_t equals = variable.find('=');
    const std::string name = variable.substr(0, equals);
    if (!is_variable_name(name))
      throw ExitError(exit_usage,
                      "--env " + ranktable::in_quotes(variable) +
                          ": wanted NAME or NAME=VALUE, a NAME of letters, digits and _, no digit first");
    const char* value = equals == std::string::npos ? std::getenv(name.c_str()) : nullptr;
    if (equals == std::string::npos && value == nullptr)
      throw ExitError(exit_usage, "--env " + variable + ": this variable is not set here");
    variables.push_back(value == nullptr ? variable : variable + "=" + value);
  }
  return variables;
}

}  // namespace adarun::cli
