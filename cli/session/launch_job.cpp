// SPDX-License-Identifier: Apache-2.0
#include "cli/session/launch_job.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/describe.h"
#include "base/file_limit.h"
#include "base/random_digits.h"
#include "base/wall_clock.h"
#include "cli/jobs/job_id.h"
#include "cli/options/command.h"
#include "cli/options/path_on_nodes.h"
#include "cli/session/deliver_output.h"
#include "cli/session/detach.h"
#include "cli/session/end_report.h"
#include "cli/session/job_session.h"
#include "cli/session/observers.h"
#include "cli/session/progress_reporter.h"
#include "cli/session/show_plan.h"
#include "launcher/base/error.h"
#include "launcher/job/run.h"
#include "launcher/record/job_log.h"
#include "launcher/record/log_folder.h"
#include "launcher/record/mask.h"
#include "launcher/record/start_trace.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

launcher::StageList stage_list(const LaunchOptions& options) {
  try {
    return launcher::read_stage_list(options.stage);
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

// Which of a job's runs one is.
struct Restart {
  int number = 0;
  std::string first_job_id = {};
};

launcher::JobOptions job_options(const LaunchOptions& options, const Placement& placement,
                                 const std::vector<std::string>& argv, const Restart& restart) {
  launcher::JobOptions job;
  job.job_id = new_job_id();
  job.argv = argv;
  job.rank_table = placement.table_text;
  job.environment = user_environment(options);
  job.workdir = path_on_nodes(options.workdir);
  job.log_dir = fs::absolute(options.log_dir).lexically_normal();
  job.mpi = options.mpi;
  job.lease = options.lease;
  job.grace = options.grace;
  job.resumable = options.via != Via::local;
  job.restart = restart.number;
  job.first_job_id = restart.first_job_id;
  job.process_limits = options.process_limits;
  job.stage = stage_list(options);
  job.secret = base::random_digits();
  return job;
}

// Whoever may read the log need not know what the names of variables call secret.
void hide_secrets(const launcher::Plan& plan, diagnostics::Log& log) {
  for (const std::string& variable : plan.job_spec.environment)
    if (launcher::masked(variable) != variable) log.hide(variable.substr(variable.find('=') + 1));
  log.hide(plan.job_spec.mpi_secret);
}

launcher::Failure broken(const std::exception& error) {
  return {launcher::Failure::Kind::broken, {}, {}, 0, 0, error.what()};
}

// Whatever goes wrong is the job's failure, so that its files and its user hear of it.
launcher::JobReport report_of(const launcher::Plan& plan, const std::function<launcher::JobReport()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    return {std::vector<launcher::RankRecord>(plan.world_size()), {broken(error)}, {}};
  }
}

// One run of a job.
struct Run {
  std::int64_t begun_ns;
  launcher::SshTargets targets;
  launcher::Plan plan;
};

std::vector<launcher::Host> hosts_of(const launcher::Plan& plan) {
  std::vector<launcher::Host> hosts;
  for (const launcher::NodePlan& node : plan.nodes) hosts.push_back(node.host);
  return hosts;
}

launcher::JobReport drive(const LaunchOptions& options, const Run& run, const JobSession& session,
                          JobView& view) {
  const launcher::Plan& plan = run.plan;
  const base::FileLimit files;
  launcher::LogFolder logs(fs::absolute(options.log_dir).lexically_normal(), session.index(), plan,
                           options.log_limit, session.supervisor());
  options.log->open_file(logs.path() / "adarun.log");
  ProgressReporter progress_reporter(plan, options, view);
  launcher::JobLog decisions(plan, view, *options.log);
  launcher::StartTrace trace(plan, run.begun_ns);
  StatusObserver status_observer(session, plan);
  std::vector<launcher::JobObserver*> told{&logs, &decisions, &progress_reporter, &view, &status_observer};
  if (!options.trace_file.empty()) told.push_back(&trace);
  Observers observers(told);
  launcher::JobReport report = report_of(plan, [&] {
    view.begin(plan);
    progress_reporter.begin();
    const auto transport = connect(options, run.targets, hosts_of(plan), files);
    return launcher::run_job(plan, *transport, {options.timeout, options.grace, options.hang_timeout},
                             observers, session.signals());
  });
  view.end();
  try {
    if (!options.trace_file.empty()) trace.write(options.trace_file);
    logs.finish(report);
  } catch (const launcher::Error& error) {
    report.failures.push_back(broken(error));
  }
  decisions.end(report);
  for (const std::string& line : end_report(plan, report, logs, options.log_dir)) options.log->error(line);
  progress_reporter.end(report);
  if (options.json) std::fputs(logs.end_as_json(report).c_str(), stdout);
  return report;
}

// Waits before a restart; the signal that came instead, or 0.
int pause(std::chrono::milliseconds time, const launcher::SignalGuard& signals) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    pollfd waiting{signals.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    const int signal = signals.take();
    if (signal != 0 && signal != SIGUSR1 && signal != SIGUSR2) return signal;  // Those are for ranks.
  }
  return 0;
}

void show_plan(const LaunchOptions& options, const Placement& placement,
               const std::vector<std::string>& argv) {
  const std::vector<launcher::SshPlace> places = places_of(placement.hosts, options);
  std::vector<std::string> addresses;
  addresses.reserve(places.size());
  for (const launcher::SshPlace& place : places) addresses.push_back(place.address);
  const launcher::Plan plan = launcher::make_plan(placement.table, placement.hosts, addresses,
                                                  job_options(options, placement, argv, {}));
  const PlannedLaunch planned{plan, places, agent_of(options),
                              fs::absolute(options.log_dir).lexically_normal(), options};
  const std::string text = options.json ? plan_json(planned) : plan_text(planned);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int run_with_restarts(const LaunchOptions& options, const Placement& placement,
                      const std::vector<std::string>& argv, const MakeView& make_view,
                      DetachChannel* detach_channel) {
  Run run{base::now_ns(), targets_of(placement.hosts, options), {}};  // Ctrl-C still ends adarun at once.
  say_targets(placement.hosts, run.targets, options.log);
  const launcher::SignalGuard signals;
  JobSession session(signals, detach_channel);
  std::string first_job_id;
  for (int number = 1;; ++number) {
    if (number > 1) run = {base::now_ns(), targets_of(placement.hosts, options), {}};
    run.plan = launcher::make_plan(placement.table, placement.hosts, run.targets.addresses,
                                   job_options(options, placement, argv, {number - 1, first_job_id}));
    if (number == 1) first_job_id = run.plan.job_id;
    if (number == 1) session.take(options, run.plan.job_id);
    hide_secrets(run.plan, *options.log);
    BackgroundOutput output(options.json ? STDERR_FILENO : STDOUT_FILENO);
    const std::unique_ptr<JobView> view = make_view(output);
    const diagnostics::Diversion diversion(*options.log,
                                           [&view](const std::string& line) { view->say(line); });
    const launcher::JobReport report = drive(options, run, session, *view);
    const bool again = is_run_again(report, number, options.restarts);
    const std::chrono::milliseconds delay = delay_after(number, options.restarts);
    if (again)
      options.log->warning("restart " + std::to_string(number) + " of " +
                           std::to_string(options.restarts.most) + " in " + base::describe(delay) +
                           "; the logs of this run will be in " + options.log_dir + "." + run.plan.job_id +
                           "/");
    if (!deliver_output(report, signals, *view) || !again) return report.exit_status();
    if (const int signal = pause(delay, signals)) return launcher::interrupt_failure(signal).exit_status();
  }
}

}  // namespace

int launch_job(const LaunchOptions& given, const Placement& placement, const std::vector<std::string>& argv,
               const MakeView& make_view) {
  if (given.verbosity != Verbosity::usual) given.log->show(level_of(given.verbosity));
  try {
    // Once: the file may be a pipe, or another one when the job is run again.
    LaunchOptions options = given;
    options.environment = user_environment(given);
    options.environment_file.clear();
    if (!options.dry_run && options.detach)
      return detach(*options.log, [&](DetachChannel& detach_channel) {
        return run_with_restarts(options, placement, argv, make_view, &detach_channel);
      });
    if (!options.dry_run) return run_with_restarts(options, placement, argv, make_view, nullptr);
    show_plan(options, placement, argv);
    return exit_done;
  } catch (const Quit&) {
    throw;
  } catch (const std::exception& error) {
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
