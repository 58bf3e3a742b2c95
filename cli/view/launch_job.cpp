// SPDX-License-Identifier: Apache-2.0
#include "cli/view/launch_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"
#include "base/log/log.h"
#include "base/random_digits.h"
#include "cli/arguments/command.h"
#include "cli/arguments/node_options.h"
#include "cli/console/background_output.h"
#include "cli/jobs/find_job.h"
#include "cli/view/detach.h"
#include "cli/view/end_report.h"
#include "cli/view/progress_reporter.h"
#include "cli/view/show_plan.h"
#include "launcher/job/job_signals.h"
#include "launcher/job/observer.h"
#include "launcher/plan/rank_environment.h"
#include "launcher/record/log_folder.h"
#include "launcher/supervisor/supervisor.h"
#include "monitor/series/step_clock.h"

namespace adarun::cli {
namespace {

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

std::filesystem::path absolute_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();  // Without a slash at its end.
}

/// Follows the steps in the loss lines of a job's ranks.
class StepObserver : public launcher::JobObserver {
 public:
  explicit StepObserver(std::size_t world_size) : steps_(world_size) {}

  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override {
    steps_.feed(rank, stream == launcher::protocol::Stream::out ? 0 : 1, bytes);
  }
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override { return steps_.step_of(rank); }

 private:
  monitor::StepReader steps_;
};

// Writes the result of an attempt to stdout, in pieces of which one waits at a time: of more, some would be
// dropped. Returns false if not all could be written.
bool write_result(std::string_view text, BackgroundOutput& output, const std::function<bool()>& continues) {
  constexpr std::size_t piece_bytes = 1U << 20U;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, piece_bytes);
    std::fwrite(piece.data(), 1, piece.size(), output.out());
    if (!output.drain(output.out(), continues)) return false;
    text.remove_prefix(piece.size());
  }
  return !output.out_failed();
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

/// One attempt at a job as the user sees it: the view of its output, its progress, messages of the log in
/// between, its end, and with --json its result on stdout. Borrows the constructor's arguments.
class AttemptView {
 public:
  AttemptView(const launcher::Plan& plan, const LaunchOptions& options, const MakeView& make_view);

  /// Is to be told of the attempt.
  launcher::JobObserver& observer() { return observers_; }

  /// Shows no more of the ranks.
  void end() { view_->end(); }

  /// Says how the attempt has ended.
  void report(const launcher::Plan& plan, const launcher::JobReport& report, const launcher::LogFolder& logs);

  /// Waits until all of it is read, for `at_most`, and until a signal that ends the job. Tells the user if
  /// not all could be written. Returns that signal, or 0.
  int deliver(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals);

 private:
  const LaunchOptions& options_;
  BackgroundOutput output_;
  std::optional<BackgroundOutput> results_;  ///< With --json: stdout, while output_ is stderr.
  std::unique_ptr<JobView> view_;
  base::LogRedirect log_;
  ProgressReporter progress_;
  StepObserver steps_;
  launcher::Observers observers_;
  std::string result_;  ///< To be written to results_.
  bool told_loss_ = false;
};

AttemptView::AttemptView(const launcher::Plan& plan, const LaunchOptions& options, const MakeView& make_view)
    : options_(options),
      output_(options.json ? STDERR_FILENO : STDOUT_FILENO),
      view_(make_view(output_)),
      log_(*options.log, [this](const std::string& line) { view_->say(line); }),
      progress_(plan, options, *view_),
      steps_(plan.world_size()),
      observers_({&progress_, view_.get(), &steps_}) {
  if (options.json) results_.emplace(STDOUT_FILENO);
  view_->begin(plan);
  progress_.begin();
}

void AttemptView::report(const launcher::Plan& plan, const launcher::JobReport& report,
                         const launcher::LogFolder& logs) {
  for (const std::string& line : end_report(plan, report, logs, final_log_dir(options_, plan, logs)))
    options_.log->error(line);
  hint_at_local(options_, plan, report);
  progress_.end(report);
  if (results_) result_ = logs.end_as_json(report);
}

int AttemptView::deliver(std::optional<std::chrono::seconds> at_most, const launcher::SignalGuard& signals) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = at_most ? Clock::now() + *at_most : Clock::time_point::max();
  int ended_by = 0;
  const auto continues = [&] {
    if (ended_by != 0) return false;
    if (const int signal = signals.take(); launcher::ends_job(signal)) ended_by = signal;
    return ended_by == 0 && Clock::now() < end;
  };
  const bool has_result = !results_ || write_result(std::exchange(result_, ""), *results_, continues);
  const bool delivered = output_.drain(output_.out(), continues) && has_result;
  if (!told_loss_ && (!delivered || output_.out_failed() || output_.has_dropped())) {
    told_loss_ = true;
    view_->say("stdout: not all output could be written there; the logs have it");
  }
  output_.drain(output_.err(), continues);
  return ended_by;
}

// Shows a job's attempts in the terminal, and leaves that once a detached job has its place in the index.
class TerminalFrontend : public launcher::Frontend {
 public:
  // `detach_channel`: null unless the job is detached.
  TerminalFrontend(const LaunchOptions& options, const MakeView& make_view, DetachChannel* detach_channel)
      : options_(options), make_view_(make_view), detach_channel_(detach_channel) {}

  launcher::AttemptOptions next_attempt(const launcher::Placement& placement,
                                        std::vector<launcher::EarlierAttempt> earlier) override {
    return attempt_options(options_, placement, std::move(earlier));
  }

  bool is_detached() const override { return detach_channel_ != nullptr; }

  base::FileDescriptor enter(const launcher::SupervisorProcess& process, const std::string& job_id) override {
    if (process.folder.empty() && (is_detached() || !options_.name.empty()))
      throw ExitError(exit_could_not_start, std::string(is_detached() ? "--detach" : "--name") +
                                                ": no folder for jobs; set HOME or XDG_STATE_HOME");
    base::FileDescriptor claim;
    if (!options_.name.empty())
      claim = claim_name(std::filesystem::path(process.folder).parent_path(), options_.name);
    if (is_detached()) detach_channel_->leave_terminal(job_id, process.output());
    return claim;
  }

  launcher::JobObserver& begin(const launcher::Plan& plan) override {
    view_.reset();
    return view_.emplace(plan, options_, make_view_).observer();
  }

  void all_started() override {
    if (is_detached()) detach_channel_->all_started(options_.log_dir);
  }

  void end() override { view_->end(); }

  void report(const launcher::Plan& plan, const launcher::JobReport& report,
              const launcher::LogFolder& logs) override {
    view_->report(plan, report, logs);
  }

  int wait_for_readers(std::optional<std::chrono::seconds> at_most,
                       const launcher::SignalGuard& signals) override {
    return view_->deliver(at_most, signals);
  }

 private:
  const LaunchOptions& options_;
  const MakeView& make_view_;
  DetachChannel* detach_channel_;
  std::optional<AttemptView> view_;
};

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
  std::vector<launcher::Host> hosts = placement.hosts;
  hosts.insert(hosts.end(), placement.spares.begin(), placement.spares.end());
  launcher::Targets targets = options.reach->locate(hosts, options);
  launcher::log_targets(hosts, targets, options.log);
  targets.addresses.resize(placement.hosts.size());
  const launcher::Plan plan = launcher::make_plan(placement.table, placement.hosts, targets.addresses,
                                                  options, attempt_options(options, placement, {}));
  const std::string text =
      options.json ? plan_json(plan, targets.places, options) : plan_text(plan, targets.places, options);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

int run(const LaunchOptions& given, const launcher::Placement& placement, const MakeView& make_view,
        DetachChannel* detach_channel) {
  LaunchOptions options = given;
  options.stdin_readers = stdin_readers(given);
  launcher::JobInput input = own_stdin();
  int status = exit_done;
  {
    TerminalFrontend frontend(options, make_view, detach_channel);
    launcher::Supervisor job(options, options, placement, input, frontend);
    status = job.run();
  }
  say_unread_input(given, options, input);
  return status;
}

}  // namespace

LaunchOptions job_options(LaunchOptions options, const std::vector<std::string>& argv) {
  options.argv = argv;
  options.environment = user_environment(options);
  options.environment_file.clear();
  options.workdir = path_on_nodes(options.workdir);
  for (launcher::Role& role : options.roles)
    if (!role.workdir.empty()) role.workdir = path_on_nodes(role.workdir);
  options.log_folder = absolute_folder(options.log_dir);
  options.resumable = !options.reach->is_local();
  return options;
}

launcher::AttemptOptions attempt_options(const LaunchOptions& options, const launcher::Placement& placement,
                                         std::vector<launcher::EarlierAttempt> earlier) {
  launcher::AttemptOptions attempt;
  attempt.job_id = new_job_id();
  attempt.secret = base::random_digits();
  attempt.rank_table = placement.table_text;
  if (placement.whole_table) attempt.table_variable = launcher::table_variable(*placement.whole_table);
  attempt.stage = or_exit(exit_usage, [&] { return launcher::read_stage_list(options.stage); });
  attempt.earlier = std::move(earlier);
  return attempt;
}

int launch_job(const LaunchOptions& given, const launcher::Placement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view) {
  if (given.level != base::Level::warning) given.log->show(given.level);
  try {
    const LaunchOptions options = job_options(given, argv);
    if (!options.dry_run && options.detach)
      return detach(*options.log, options.name, [&](DetachChannel& detach_channel) {
        return run(options, placement, make_view, &detach_channel);
      });
    if (!options.dry_run) return run(options, placement, make_view, nullptr);
    show_plan(options, placement);
    return exit_done;
  } catch (const ExitError&) {
    throw;
  } catch (const std::exception& error) {
    throw ExitError(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
