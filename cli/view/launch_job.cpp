// SPDX-License-Identifier: Apache-2.0
#include "cli/view/launch_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "cli/arguments/command.h"
#include "cli/jobs/claim_name.h"
#include "cli/view/attempt_view.h"
#include "cli/view/detach.h"
#include "cli/view/job_options.h"
#include "cli/view/show_plan.h"
#include "launcher/supervisor/supervisor.h"
#include "launcher/transport/reach/agent_source.h"

namespace adarun::cli {
namespace {

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
      throw Quit(exit_could_not_start, std::string(is_detached() ? "--detach" : "--name") +
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
    if (is_detached()) detach_channel_->all_started();
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
  const launcher::Targets targets = options.reach->locate(placement.hosts, options);
  const launcher::Plan plan = launcher::make_plan(placement.table, placement.hosts, targets.addresses,
                                                  options, attempt_options(options, placement, {}));
  const PlannedLaunch planned{plan, targets.places, launcher::agent_path(options.agent), options.log_folder,
                              options};
  const std::string text = options.json ? plan_json(planned) : plan_text(planned);
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

int launch_job(const LaunchOptions& given, const launcher::Placement& placement,
               const std::vector<std::string>& argv, const MakeView& make_view) {
  if (given.verbosity != Verbosity::usual) given.log->show(level_of(given.verbosity));
  try {
    const LaunchOptions options = job_options(given, argv);
    if (!options.dry_run && options.detach)
      return detach(*options.log, [&](DetachChannel& detach_channel) {
        return run(options, placement, make_view, &detach_channel);
      });
    if (!options.dry_run) return run(options, placement, make_view, nullptr);
    show_plan(options, placement);
    return exit_done;
  } catch (const Quit&) {
    throw;
  } catch (const std::exception& error) {
    throw Quit(exit_could_not_start, error.what());
  }
}

}  // namespace adarun::cli
