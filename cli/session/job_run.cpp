// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_run.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <vector>

#include "base/file_limit.h"
#include "cli/session/end_report.h"
#include "cli/session/job_options.h"
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

std::vector<launcher::Host> hosts_of(const launcher::Plan& plan) {
  std::vector<launcher::Host> hosts;
  for (const launcher::NodePlan& node : plan.nodes) hosts.push_back(node.host);
  return hosts;
}

}  // namespace

launcher::JobReport run_once(const LaunchOptions& options, const JobRun& run, const JobSession& session,
                             JobView& view) {
  const launcher::Plan& plan = run.plan;
  const base::FileLimit files;
  launcher::LogFolder logs(log_folder_of(options), session.index(), plan, options.log_limit,
                           session.supervisor());
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

}  // namespace adarun::cli
