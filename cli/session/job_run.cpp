// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_run.h"

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "cli/console/written_file.h"
#include "cli/session/end_report.h"
#include "cli/session/observers.h"
#include "cli/session/progress_reporter.h"
#include "launcher/base/error.h"
#include "launcher/job/run.h"
#include "launcher/record/job_log.h"
#include "launcher/record/log_folder.h"
#include "launcher/record/start_trace.h"

namespace adarun::cli {
namespace {

launcher::Failure broken(const std::exception& error) {
  return {launcher::Failure::Kind::broken, {}, {}, 0, 0, error.what()};
}

// Turns an exception into a failure of the job, so that it is in the job's files and reported to the user.
launcher::JobReport report_of(const launcher::Plan& plan, const std::function<launcher::JobReport()>& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    return {std::vector<launcher::RankRecord>(plan.world_size()), {broken(error)}, {}};
  }
}

// The log folder at the end of a job, for messages. If no rank has started it was renamed, with adarun.log.
std::string final_log_dir(const LaunchOptions& options, const launcher::Plan& plan,
                          const launcher::LogFolder& logs) {
  if (logs.path() == options.log_folder) return options.log_dir;
  return options.log_dir + "." + plan.job_id;
}

// For who has typed "--hosts localhost:4", as other launchers have it, where no sshd runs.
void hint_at_local(const LaunchOptions& options, const launcher::Plan& plan,
                   const launcher::JobReport& report) {
  if (options.reach->name() != "ssh" || plan.nodes.size() != 1 || report.failures.empty()) return;
  const bool is_unreached = report.failures.front().kind == launcher::Failure::Kind::could_not_start;
  if (is_unreached && plan.nodes.front().host.name == "localhost")
    options.log->error("ranks on this machine need no SSH: -n N without hosts, or --via local");
}

// Returns why not; empty: a spare is there.
std::string replace(std::uint32_t node, const LaunchOptions& options, JobRun& run,
                    launcher::Attempts& attempts) {
  try {
    return attempts.replace(
        node, [&] { launcher::replace_node(run.plan, node, plan_of(attempts, options, run.attempt)); });
  } catch (const std::exception& error) {
    return error.what();
  }
}

launcher::SpareJoins::TakePlace take_place(const LaunchOptions& options, JobRun& run,
                                           launcher::Attempts& attempts) {
  if (!options.spares_join()) return {};
  return [&](std::uint32_t node) { return replace(node, options, run, attempts); };
}

/// A trace that cannot be written fails the job, whose record is finished all the same.
void write_trace(const LaunchOptions& options, launcher::StartTrace& trace, launcher::JobReport& report) {
  if (options.trace_file.empty()) return;
  try {
    trace.write(options.trace_file);
    options.log->warning(written_text(options.trace_file));
  } catch (const launcher::Error& error) {
    report.failures.push_back(broken(error));
  }
}

}  // namespace

launcher::Plan plan_of(const launcher::Attempts& attempts, const launcher::JobOptions& options,
                       const launcher::AttemptOptions& attempt) {
  const launcher::Placement& placement = attempts.placement();
  return launcher::make_plan(placement.table, placement.hosts, attempts.addresses(), options, attempt);
}

launcher::JobReport run_once(const LaunchOptions& options, JobRun& run, launcher::Attempts& attempts,
                             JobSession& session, JobView& view) {
  const launcher::Plan& plan = run.plan;
  launcher::LogFolder logs(options.log_folder, session.index(), plan,
                           {options.log_limit, session.supervisor(), std::move(run.folder_lock)});
  session.name_recorded();
  options.log->open_file_in(logs.opened(), "adarun.log");
  ProgressReporter progress_reporter(plan, options, view);
  launcher::JobLog decisions(plan, view, *options.log);
  launcher::StartTrace trace(plan, run.begun_ns);
  StatusObserver status_observer(session, plan, attempts);
  std::vector<launcher::JobObserver*> told{&logs, &decisions, &progress_reporter, &view, &status_observer};
  if (!options.trace_file.empty()) told.push_back(&trace);
  Observers observers(told);
  launcher::JobReport report = report_of(plan, [&] {
    view.begin(plan);
    progress_reporter.begin();
    const auto transport = attempts.connect();
    return launcher::run_job(plan, *transport, observers, session.from_outside(),
                             take_place(options, run, attempts));
  });
  view.end();
  write_trace(options, trace, report);
  try {
    logs.finish(report);
  } catch (const launcher::Error& error) {
    report.failures.push_back(broken(error));
  }
  const std::string log_dir = final_log_dir(options, plan, logs);
  decisions.end(report);
  for (const std::string& line : end_report(plan, report, logs, log_dir)) options.log->error(line);
  hint_at_local(options, plan, report);
  progress_reporter.end(report);
  if (options.json) run.result = logs.end_as_json(report);
  return report;
}

}  // namespace adarun::cli
