// SPDX-License-Identifier: Apache-2.0
#include "cli/session/launch_job.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/wall_clock.h"
#include "cli/options/command.h"
#include "cli/session/detach.h"
#include "cli/session/job_options.h"
#include "cli/session/job_run.h"
#include "cli/session/job_session.h"
#include "cli/session/show_plan.h"
#include "launcher/base/error.h"
#include "launcher/hosts/fold.h"
#include "launcher/job/job_input.h"
#include "launcher/job/job_signals.h"
#include "launcher/job/run.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/mask.h"
#include "launcher/supervisor/attempts.h"
#include "launcher/transport/reach/agent_source.h"

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

// Writes the result of an attempt to stdout, in pieces of which one waits at a time: of more, some would be
// dropped. Returns false if not all could be written.
bool write_result(std::string_view text, BackgroundOutput& output, OutputWait& wait) {
  constexpr std::size_t piece_bytes = 1U << 20U;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, piece_bytes);
    std::fwrite(piece.data(), 1, piece.size(), output.out());
    if (!wait.drain(output, output.out())) return false;
    text.remove_prefix(piece.size());
  }
  return !output.losses().out_failed;
}

// Waits at the end of an attempt until our output is read, and before that its result, which goes to
// `results` with --json. Tells the user if not all could be written. Returns the signal that ended the wait,
// or 0.
int deliver_output(OutputWait wait, JobView& view, const std::string& result, BackgroundOutput* results) {
  BackgroundOutput& output = view.output();
  const bool has_result = results == nullptr || write_result(result, *results, wait);
  const bool delivered = wait.drain(output, output.out()) && has_result;
  const BackgroundOutput::Losses losses = output.losses();
  if (!delivered || losses.out_failed || losses.dropped_bytes > 0)
    view.say("stdout: not all output could be written there; the logs have it");
  wait.drain(output, output.err());
  return wait.signal();
}

// Says that no rank could read what was there for them.
void say_unread_input(const LaunchOptions& given, const LaunchOptions& options,
                      const launcher::JobInput& input) {
  using launcher::StdinReaders;
  const bool is_for_ranks = options.stdin_readers == StdinReaders::first;  // None of which has come so far.
  if (given.stdin_readers != StdinReaders::by_kind || is_for_ranks || !input.is_unread()) return;
  options.log->warning(
      "stdin: not passed to ranks, which read /dev/null (--stdin 0 gives it to rank 0, --stdin none says "
      "that "
      "it is not for them)");
}

// Of its own, since a detached job leaves this process's stdin.
launcher::JobInput own_stdin() {
  return launcher::JobInput(base::FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)));
}

void show_plan(const LaunchOptions& options, const launcher::Placement& placement) {
  const launcher::Targets targets = options.reach->locate(placement.hosts, options);
  const launcher::Plan plan = launcher::make_plan(placement.table, placement.hosts, targets.addresses,
                                                  options, attempt_options(options, placement, {}));
  const PlannedLaunch planned{plan, targets.places, launcher::agent_path(options.agent), options.log_folder,
                              options};
  const std::string text = options.json ? plan_json(planned) : plan_text(planned);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Removes from the log the values of variables whose names mark them as secret.
void hide_secrets(const launcher::Plan& plan, diagnostics::Log& log) {
  const auto hide = [&log](const std::vector<std::string>& variables) {
    for (const std::string& variable : variables)
      if (launcher::masked(variable) != variable) log.hide(variable.substr(variable.find('=') + 1));
  };
  hide(plan.options.environment);
  for (const launcher::Role& role : plan.options.roles) hide(role.environment);
  log.hide(plan.job_spec.mpi_secret);
}

JobRun run_of(const LaunchOptions& options, const launcher::Attempts& attempts,
              const std::vector<launcher::EarlierAttempt>& earlier, std::chrono::milliseconds timeout_used,
              std::int64_t begun_ns) {
  launcher::AttemptOptions attempt = attempt_options(options, attempts.placement(), earlier);
  attempt.timeout_used = timeout_used;
  launcher::Plan plan = plan_of(attempts, options, attempt);
  return {begun_ns, std::move(attempt), std::move(plan)};
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
std::optional<launcher::Attempts::Next> next_after(const JobRun& run, const launcher::JobReport& report,
                                                   launcher::Attempts& attempts, const JobSession& session,
                                                   diagnostics::Log& log) {
  try {
    std::optional<launcher::Attempts::Next> next = attempts.after(run.plan, report);
    if (!next || !session.from_outside().input.is_spent()) return next;
    log.error(
        "not run again: ranks have read from stdin what cannot be read a second time (a file can: < FILE)");
    return std::nullopt;
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

// For a job that has no next attempt, though it was to have one: the files of the last one, of this id, tell
// how that ended. Another job may have its log folder by now.
void record_end(const launcher::Failure& failure, const std::string& id, const LaunchOptions& options,
                const JobSession& session) {
  const std::filesystem::path folder = options.log_folder;
  const std::filesystem::path renamed = folder.string() + "." + id;
  for (const std::filesystem::path& each : {folder, session.index() / id, renamed}) {
    try {
      launcher::add_job_end(each, id, failure);
    } catch (const launcher::Error& error) {
      options.log->warning(error.what());
    }
  }
}

// Waits before the next attempt: for `delay`, as far as the job's timeout, of which `used` is used by then,
// allows. `signal`: one that has come already, or 0. Returns what ends the job instead.
std::optional<launcher::Failure> await_next(const LaunchOptions& options, std::chrono::milliseconds delay,
                                            std::chrono::milliseconds used, int signal,
                                            const launcher::SignalGuard& signals) {
  const std::chrono::milliseconds over =
      options.timeout ? used - *options.timeout : std::chrono::milliseconds(-1);
  const auto wait = over.count() < 0 ? delay : std::max(delay - over, {});
  if (signal == 0) signal = pause(wait, signals);
  if (signal != 0) return launcher::interrupt_failure(signal);
  if (over.count() >= 0) return launcher::timeout_failure(*options.timeout);
  return std::nullopt;
}

// Locks the log folder for the next attempt. One that another job has taken already is refused then.
base::FileDescriptor lock_until_next(const LaunchOptions& options) {
  try {
    return launcher::lock_folder(options.log_folder);
  } catch (const launcher::Error&) {
    return {};
  }
}

// Ends a job that waits for its next attempt.
int end_by(const launcher::Failure& failure, diagnostics::Log& log, OutputWait wait,
           BackgroundOutput& output) {
  log.error(failure.message);
  wait.drain(output, output.err());
  return failure.exit_status();
}

// What is run in each attempt.
struct WantedJob {
  const LaunchOptions& options;
  const MakeView& make_view;
  std::int64_t begun_ns;  // When it was asked for.
};

// Runs a job until no attempt follows; `earlier` has those that another one was to follow. Throws if an
// attempt cannot begin.
int run_attempts(const WantedJob& job, launcher::Attempts& attempts, JobSession& session,
                 std::vector<launcher::EarlierAttempt>& earlier) {
  const LaunchOptions& options = job.options;
  const launcher::SignalGuard& signals = session.signals();
  std::int64_t begun_ns = job.begun_ns;
  std::chrono::milliseconds timeout_used{0};
  base::FileDescriptor folder_lock;  // Between attempts: else another job could take the folder.
  while (true) {
    JobRun run = run_of(options, attempts, earlier, timeout_used, begun_ns);
    run.folder_lock = std::exchange(folder_lock, {});
    if (earlier.empty()) session.take(options, run.plan.job_id);
    hide_secrets(run.plan, *options.log);
    BackgroundOutput output(options.json ? STDERR_FILENO : STDOUT_FILENO);
    std::optional<BackgroundOutput> results;
    if (options.json) results.emplace(STDOUT_FILENO);
    const std::unique_ptr<JobView> view = job.make_view(output);
    const diagnostics::Diversion diversion(*options.log,
                                           [&view](const std::string& line) { view->say(line); });
    const launcher::JobReport report = run_once(options, run, attempts, session, *view);
    const std::optional<launcher::Attempts::Next> next =
        next_after(run, report, attempts, session, *options.log);
    if (next) {
      folder_lock = lock_until_next(options);
      options.log->warning(next->text + "; the logs of this run will be in " + options.log_dir + "." +
                           run.plan.job_id + "/");
    }
    const int signal = deliver_output({output_wait(report, next.has_value()), signals}, *view, run.result,
                                      results ? &*results : nullptr);
    if (!next) return report.exit_status();
    timeout_used += report.duration + next->delay;
    if (const auto ended = await_next(options, next->delay, timeout_used, signal, signals)) {
      record_end(*ended, run.plan.job_id, options, session);
      return end_by(*ended, *options.log, {last_words_wait, signals}, output);
    }
    earlier.push_back(summary_of(run, report, next->change));
    begun_ns = base::now_ns();
  }
}

int run_with_restarts(const LaunchOptions& given, const launcher::Placement& placement,
                      const MakeView& make_view, DetachChannel* detach_channel) {
  LaunchOptions options = given;
  options.stdin_readers = stdin_readers(given);
  launcher::JobInput input = own_stdin();
  const WantedJob job{options, make_view, base::now_ns()};
  launcher::Attempts attempts(options, options, placement);  // Ctrl-C still ends adarun at once.
  const launcher::SignalGuard signals;
  JobSession session(signals, input, detach_channel);
  std::vector<launcher::EarlierAttempt> earlier;
  try {
    const int status = run_attempts(job, attempts, session, earlier);
    say_unread_input(given, options, input);
    return status;
  } catch (const std::exception& error) {
    if (earlier.empty()) throw;
    record_end({launcher::Failure::Kind::broken, {}, {}, 0, 0, error.what()}, earlier.back().job_id, options,
               session);
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace

int launch_job(const LaunchOptions& given, const launcher::Placement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view) {
  if (given.verbosity != Verbosity::usual) given.log->show(level_of(given.verbosity));
  try {
    const LaunchOptions options = job_options(given, argv);
    if (!options.dry_run && options.detach)
      return detach(*options.log, [&](DetachChannel& detach_channel) {
        return run_with_restarts(options, placement, make_view, &detach_channel);
      });
    if (!options.dry_run) return run_with_restarts(options, placement, make_view, nullptr);
    show_plan(options, placement);
    return exit_done;
  } catch (const Quit&) {
    throw;
  } catch (const std::exception& error) {
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
