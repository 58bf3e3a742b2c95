// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>

#include "cli/command.h"
#include "cli/end_report.h"
#include "cli/observers.h"
#include "cli/show_plan.h"
#include "launcher/collect/job_file.h"
#include "launcher/collect/log_folder.h"
#include "launcher/error.h"
#include "launcher/file_limit.h"
#include "launcher/hosts/map.h"
#include "launcher/hosts/read.h"
#include "launcher/run.h"
#include "launcher/transport/connect.h"
#include "ranktable/adasum_rule.h"
#include "ranktable/error.h"
#include "ranktable/parse.h"
#include "ranktable/validate.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

// How long the last lines may take where nobody reads them.
constexpr std::chrono::seconds last_words_wait{1};

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

std::string agent_of(const LaunchOptions& options) {
  if (!options.agent.empty()) return options.agent;
  return program_folder() / "adarun-agent";
}

launcher::JobOptions job_options(const LaunchOptions& options, const std::vector<std::string>& argv) {
  launcher::JobOptions job;
  job.job_id = new_job_id();
  job.argv = argv;
  job.environment = user_environment(options);
  job.workdir = options.workdir.empty() ? fs::current_path().string() : options.workdir;
  job.log_dir = fs::absolute(options.log_dir).lexically_normal();
  job.mpi = options.mpi;
  job.lease = options.lease;
  job.grace = options.grace;
  return job;
}

std::unique_ptr<launcher::Transport> connect(const LaunchOptions& options,
                                             const launcher::SshTargets& targets, std::size_t nodes,
                                             const launcher::FileLimit& files) {
  const launcher::LinkOptions links{options.connect_timeout, options.lease, options.fanout};
  return options.via == Via::ssh ? launcher::connect_ssh(targets, agent_of(options), links)
                                 : launcher::connect_local(nodes, agent_of(options), links, files);
}

launcher::Failure broken(const std::exception& error) {
  return {launcher::Failure::Kind::broken, {}, {}, 0, 0, error.what()};
}

// Whatever goes wrong is the job's failure, so that its files and its user hear of it.
launcher::Report report_of(const launcher::Plan& plan, const std::function<launcher::Report()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    return {std::vector<launcher::RankRecord>(plan.world_size()), {broken(error)}, {}};
  }
}

bool was_cut_short(const launcher::Report& report) {
  using Kind = launcher::Failure::Kind;
  return std::any_of(report.failures.begin(), report.failures.end(), [](const launcher::Failure& failure) {
    return failure.kind == Kind::interrupted || failure.kind == Kind::timed_out;
  });
}

// Waits for a slow reader of our output, as long as the user does: until a signal comes, and hardly at all
// where the job's end was asked for.
void deliver_output(const launcher::Report& report, const launcher::SignalGuard& signals, JobView& view) {
  using Clock = std::chrono::steady_clock;
  BackgroundOutput& output = view.output();
  const auto end = was_cut_short(report) ? Clock::now() + last_words_wait : Clock::time_point::max();
  const auto goes_on = [&] { return signals.take() == 0 && Clock::now() < end; };
  const bool delivered = output.drain(output.out(), goes_on);
  const BackgroundOutput::Losses losses = output.losses();
  if (!delivered || losses.out_failed || losses.dropped_bytes > 0)
    view.say("stdout: not all output could be written there; the logs have it");
  output.drain(output.err(), goes_on);
}

int drive(const LaunchOptions& options, const launcher::Plan& plan, const launcher::SshTargets& targets,
          JobView& view) {
  const launcher::SignalGuard signals;
  const launcher::FileLimit files;
  const fs::path index = options.job_index.empty() ? launcher::job_index() : fs::path(options.job_index);
  launcher::LogFolder logs(fs::absolute(options.log_dir).lexically_normal(), index, plan);
  Observers observers({&logs, &view});
  launcher::Report report = report_of(plan, [&] {
    const auto transport = connect(options, targets, plan.nodes.size(), files);
    view.begin(plan);
    return launcher::run_job(plan, *transport, {options.timeout, options.grace}, observers, signals);
  });
  view.end();
  try {
    logs.finish(report);
  } catch (const launcher::Error& error) {
    report.failures.push_back(broken(error));
  }
  for (const std::string& line : end_report(plan, report, logs, options.log_dir)) view.say(line);
  deliver_output(report, signals, view);
  return report.exit_status();
}

std::vector<launcher::Host> hosts_in(const LaunchOptions& options) {
  try {
    const std::vector<launcher::Host> hosts = launcher::read_hosts(options.hosts);
    return options.exclude.empty() ? hosts : launcher::without(hosts, options.exclude);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

std::vector<launcher::Host> hosts_of_table(const LaunchOptions& options, const ranktable::Table& table,
                                           const std::vector<launcher::Host>& list) {
  try {
    launcher::HostMap map;
    if (!options.map_file.empty()) map = launcher::read_host_map(options.map_file);
    return options.hosts.empty() ? launcher::hosts_of(table, map) : launcher::hosts_for(table, list, map);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

ranktable::Table table_in(const LaunchOptions& options) {
  try {
    ranktable::Table table = ranktable::read(options.table_file);
    ranktable::require_valid(table, options.table_file);
    return table;
  } catch (const ranktable::Error& error) {
    throw Quit(exit_no, error.what());
  }
}

}  // namespace

Placement place(const LaunchOptions& options) {
  if (options.table_file.empty() && options.hosts.empty())
    throw Quit(exit_usage, "say where to run: -r TABLE or --hosts LIST");
  Placement placement;
  if (!options.hosts.empty()) placement.hosts = hosts_in(options);
  placement.table = options.table_file.empty() ? launcher::table_of(placement.hosts) : table_in(options);
  placement.hosts = hosts_of_table(options, placement.table, placement.hosts);
  const std::size_t world = ranktable::device_count(placement.table);
  const auto refusal = ranktable::adasum_refusal(world);
  if (options.adasum && refusal)
    throw Quit(exit_no, *refusal +
                            "\nadarun: " + (options.hosts.empty() ? options.table_file : options.hosts) +
                            " has " + std::to_string(world) + " devices; nothing was started");
  return placement;
}

std::string new_job_id() {
  std::array<char, 32> stamp{};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  std::array<char, 8> tail{};  // "-", six digits: jobs may share an index and start in the same second
  std::snprintf(tail.data(), tail.size(), "-%06x", std::random_device()() & 0xffffffU);
  return std::string(stamp.data()) + tail.data();
}

int launch_job(const LaunchOptions& options, const Placement& placement, const std::vector<std::string>& argv,
               JobView& view) {
  try {
    const bool ssh = options.via == Via::ssh && !options.dry_run;
    launcher::SshTargets targets{
        std::vector<std::string>(placement.hosts.size(), options.via == Via::ssh ? "" : "127.0.0.1"),
        nullptr};
    if (ssh) targets = launcher::locate(placement.hosts, options.ssh);
    const launcher::Plan plan =
        launcher::make_plan(placement.table, placement.hosts, targets.addresses, job_options(options, argv));
    if (!options.dry_run) return drive(options, plan, targets, view);
    show_plan(plan, agent_of(options));
    return exit_done;
  } catch (const Quit&) {
    throw;
  } catch (const std::exception& error) {
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
