// SPDX-License-Identifier: Apache-2.0
#include "cli/session/launch_job.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/wall_clock.h"
#include "cli/options/command.h"
#include "cli/session/attempts.h"
#include "cli/session/detach.h"
#include "cli/session/job_options.h"
#include "cli/session/job_run.h"
#include "cli/session/job_session.h"
#include "cli/session/show_plan.h"
#include "launcher/base/error.h"
#include "launcher/hosts/fold.h"
#include "launcher/job/job_signals.h"
#include "launcher/job/run.h"
#include "launcher/record/job_file.h"
#include "launcher/record/mask.h"

namespace adarun::cli {
namespace {

// How long to wait for a slow reader after the job was interrupted or timed out.
constexpr std::chrono::seconds last_words_wait{1};
// And before the next attempt, which is not to wait for a terminal that was stopped (Ctrl-S).
constexpr std::chrono::seconds attempts_wait{5};

// Waits before a restart; returns the signal that ended the wait, or 0.
int pause(std::chrono::milliseconds time, const launcher::SignalGuard& signals) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    pollfd waiting{signals.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (const int signal = signals.take(); launcher::ends_job(signal)) return signal;
  }
  return 0;
}

// How long slow readers of our output are waited for: for `at_most`, and until a signal.
class OutputWait {
 public:
  OutputWait(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals)
      : signals_(signals), end_(at_most ? Clock::now() + *at_most : Clock::time_point::max()) {}

  // Waits until all that was written to `stream` is read. Returns false if the wait ended before.
  bool drain(BackgroundOutput& output, std::FILE* stream) {
    return output.drain(stream, [this] { return goes_on(); });
  }

  // The signal that ended the wait, or 0.
  int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool goes_on() {
    if (signal_ != 0) return false;
    if (const int signal = signals_.take(); launcher::ends_job(signal)) signal_ = signal;
    return signal_ == 0 && Clock::now() < end_;
  }

  const launcher::SignalGuard& signals_;
  Clock::time_point end_;
  int signal_ = 0;
};

// Waits at the end of an attempt until our output is read. Tells the user if not all could be written.
// Returns the signal that ended the wait, or 0.
int deliver_output(OutputWait wait, JobView& view) {
  BackgroundOutput& output = view.output();
  const bool delivered = wait.drain(output, output.out());
  const BackgroundOutput::Losses losses = output.losses();
  if (!delivered || losses.out_failed || losses.dropped_bytes > 0)
    view.say("stdout: not all output could be written there; the logs have it");
  wait.drain(output, output.err());
  return wait.signal();
}

// Says that what is piped in was read by nobody, where something was.
void say_unread_input(diagnostics::Log& log) {
  struct stat facts {};
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const bool is_pipe = fstat(STDIN_FILENO, &facts) == 0 && S_ISFIFO(facts.st_mode);
  if (is_pipe && poll(&input, 1, 0) > 0 && (input.revents & POLLIN) != 0)
    log.warning("stdin: not passed to ranks, which read /dev/null (--stage FILE brings them a file)");
}

void show_plan(const LaunchOptions& options, const JobPlacement& placement,
               const std::vector<std::string>& argv) {
  const std::vector<launcher::SshPlace> places = places_of(placement.hosts, options);
  std::vector<std::string> addresses;
  addresses.reserve(places.size());
  for (const launcher::SshPlace& place : places) addresses.push_back(place.address);
  const launcher::Plan plan = launcher::make_plan(placement.table, placement.hosts, addresses,
                                                  job_options(options, placement, argv, {}));
  const PlannedLaunch planned{plan, places, agent_of(options), log_folder_of(options), options};
  const std::string text = options.json ? plan_json(planned) : plan_text(planned);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Removes from the log the values of variables whose names mark them as secret.
void hide_secrets(const LaunchOptions& options, const launcher::Plan& plan) {
  diagnostics::Log& log = *options.log;
  const auto hide = [&log](const std::vector<std::string>& variables) {
    for (const std::string& variable : variables)
      if (launcher::masked(variable) != variable) log.hide(variable.substr(variable.find('=') + 1));
  };
  hide(options.environment);
  for (const launcher::Role& role : plan.roles) hide(role.environment);
  log.hide(plan.job_spec.mpi_secret);
}

JobRun run_of(const LaunchOptions& options, const Attempts& attempts, const std::vector<std::string>& argv,
              const std::vector<launcher::EarlierAttempt>& earlier, std::int64_t begun_ns) {
  launcher::JobOptions job = job_options(options, attempts.placement(), argv, earlier);
  launcher::Plan plan = plan_of(attempts, job);
  return {begun_ns, std::move(job), std::move(plan)};
}

launcher::EarlierAttempt summary_of(const JobRun& run, const launcher::JobReport& report,
                                    const std::string& change) {
  std::vector<std::string> names;
  for (const launcher::NodePlan& node : run.plan.nodes) names.push_back(node.host.name);
  return {run.plan.job_id,
          run.begun_ns,
          report.duration,
          launcher::fold_names(names),
          run.plan.world_size(),
          report.exit_status(),
          report.failures.empty() ? "" : report.failures.front().message,
          change};
}

// A job that cannot go on, for example with too few nodes for AdaSum, ends as it would without further
// attempts.
std::optional<Attempts::Next> next_after(const JobRun& run, const launcher::JobReport& report,
                                         Attempts& attempts, diagnostics::Log& log) {
  try {
    return attempts.after(run.plan, report);
  } catch (const std::exception& error) {
    log.error(error.what());
    return std::nullopt;
  }
}

// The reader of the last attempt's output is waited for.
std::optional<std::chrono::seconds> output_wait(const launcher::JobReport& report, bool goes_on) {
  if (report.was_cut_short()) return last_words_wait;
  return goes_on ? std::optional(attempts_wait) : std::nullopt;
}

// For a job that waits for its next attempt: the files of the last one, of this id, tell how that ended.
// Another job may have its log folder by now.
void record_end(const launcher::Failure& failure, const std::string& id,
                std::vector<std::filesystem::path> folders, diagnostics::Log& log) {
  folders.emplace_back(folders.front().string() + "." + id);
  for (const std::filesystem::path& folder : folders) {
    try {
      launcher::add_job_end(folder, id, failure);
    } catch (const launcher::Error& error) {
      log.warning(error.what());
    }
  }
}

// Ends a job that waits for its next attempt.
int end_by(const launcher::Failure& failure, diagnostics::Log& log, OutputWait wait,
           BackgroundOutput& output) {
  log.error(failure.message);
  wait.drain(output, output.err());
  return failure.exit_status();
}

int run_with_restarts(const LaunchOptions& options, const JobPlacement& placement,
                      const std::vector<std::string>& argv, const MakeView& make_view,
                      DetachChannel* detach_channel) {
  std::int64_t begun_ns = base::now_ns();
  Attempts attempts(options, placement);  // Ctrl-C still ends adarun at once.
  const launcher::SignalGuard signals;
  JobSession session(signals, detach_channel);
  std::vector<launcher::EarlierAttempt> earlier;
  std::chrono::milliseconds timeout_used{0};
  while (true) {
    JobRun run = run_of(options, attempts, argv, earlier, begun_ns);
    run.timeout_used = timeout_used;
    if (earlier.empty()) session.take(options, run.plan.job_id);
    hide_secrets(options, run.plan);
    BackgroundOutput output(options.json ? STDERR_FILENO : STDOUT_FILENO);
    const std::unique_ptr<JobView> view = make_view(output);
    const diagnostics::Diversion diversion(*options.log,
                                           [&view](const std::string& line) { view->say(line); });
    const launcher::JobReport report = run_once(options, run, attempts, session, *view);
    const std::optional<Attempts::Next> next = next_after(run, report, attempts, *options.log);
    if (next)
      options.log->warning(next->text + "; the logs of this run will be in " + options.log_dir + "." +
                           run.plan.job_id + "/");
    int signal = deliver_output({output_wait(report, next.has_value()), signals}, *view);
    if (!next) return report.exit_status();
    timeout_used += report.duration + next->delay;
    const std::chrono::milliseconds over =
        options.timeout ? timeout_used - *options.timeout : std::chrono::milliseconds(-1);
    const auto wait = over.count() < 0 ? next->delay : std::max(next->delay - over, {});
    if (signal == 0) signal = pause(wait, signals);
    std::optional<launcher::Failure> ended;
    if (signal != 0)
      ended = launcher::interrupt_failure(signal);
    else if (over.count() >= 0)
      ended = launcher::timeout_failure(*options.timeout);
    if (ended) {
      record_end(*ended, run.plan.job_id, {log_folder_of(options), session.index() / run.plan.job_id},
                 *options.log);
      return end_by(*ended, *options.log, {last_words_wait, signals}, output);
    }
    earlier.push_back(summary_of(run, report, next->change));
    begun_ns = base::now_ns();
  }
}

}  // namespace

int launch_job(const LaunchOptions& given, const JobPlacement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view) {
  if (given.verbosity != Verbosity::usual) given.log->show(level_of(given.verbosity));
  try {
    // Read once: the file may be a pipe, or may have changed when the job is restarted.
    LaunchOptions options = given;
    options.environment = user_environment(given);
    options.environment_file.clear();
    if (!options.dry_run && options.detach)
      return detach(*options.log, [&](DetachChannel& detach_channel) {
        return run_with_restarts(options, placement, argv, make_view, &detach_channel);
      });
    if (!options.dry_run) {
      const int status = run_with_restarts(options, placement, argv, make_view, nullptr);
      say_unread_input(*options.log);
      return status;
    }
    show_plan(options, placement, argv);
    return exit_done;
  } catch (const Quit&) {
    throw;
  } catch (const std::exception& error) {
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
