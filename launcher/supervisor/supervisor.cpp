// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/supervisor.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include "base/output_folder.h"
#include "base/wall_clock.h"
#include "launcher/base/error.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/job/run.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/job_log.h"
#include "launcher/record/start_trace.h"
#include "launcher/supervisor/job_status.h"

namespace adarun::launcher {

namespace fs = std::filesystem;

namespace {

// How long to wait for a slow reader after the job was interrupted or timed out.
constexpr std::chrono::seconds last_words_wait{1};
// And before the next attempt, which is not to wait for a terminal that was stopped (Ctrl-S).
constexpr std::chrono::seconds attempts_wait{5};

// The reader of the last attempt's output is waited for.
std::optional<std::chrono::seconds> output_wait(const JobReport& report, bool is_last) {
  if (report.was_cut_short()) return last_words_wait;
  return is_last ? std::nullopt : std::optional(attempts_wait);
}

// Waits before a restart; returns the signal that ended the wait, or 0.
int pause(std::chrono::milliseconds time, const SignalGuard& signals) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    pollfd waiting{signals.fd(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (const int signal = signals.take(); ends_job(signal)) return signal;
  }
  return 0;
}

Failure broken(const std::exception& error) {
  return job_failure(Failure::Kind::broken, error.what());
}

// Closed to others, whatever the umask. Where it cannot be made, the job runs without it: returns why.
std::string make_entry(const fs::path& folder) {
  try {
    fs::create_directories(folder.parent_path());
    const base::OutputFolder made(folder);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

// For the next attempt. A folder that another job has taken already is refused then.
base::FileDescriptor lock_until_next(const fs::path& log_folder) {
  try {
    return lock_folder(log_folder);
  } catch (const Error&) {
    return {};
  }
}

// A trace that cannot be written fails the job, whose record is finished all the same.
bool has_written(StartTrace& trace, const std::string& file, JobReport& report) {
  if (file.empty()) return false;
  try {
    trace.write(file);
    return true;
  } catch (const Error& error) {
    report.failures.push_back(broken(error));
    return false;
  }
}

}  // namespace

struct Supervisor::Attempt {
  AttemptOptions options;
  Plan plan;
};

// Answers what the control server is asked about one attempt, and says when all its ranks have started.
class Supervisor::AttemptObserver : public JobStatus {
 public:
  AttemptObserver(Supervisor& job, const Plan& plan, const JobObserver& steps)
      : JobStatus(plan, steps), job_(job) {
    for (std::uint32_t rank = 0; rank < plan.world_size(); ++rank) waiting_.insert(rank);
  }

  void on_started(const protocol::Started& started) override {
    JobStatus::on_started(started);
    note_start(started.rank);
  }

  void on_left(std::uint32_t rank) override { note_start(rank); }

  void on_tick() override {
    job_.attempts_.resize().advance();
    if (job_.control_server_ == nullptr) return;
    job_.control_server_->answer_questions([this](const std::string& asked) { return answer(asked); });
  }

  bool wants_resize() const override { return job_.attempts_.resize().is_due(); }

 private:
  void note_start(std::uint32_t rank) {
    if (waiting_.erase(rank) == 0 || !waiting_.empty()) return;
    job_.frontend_.all_started();
    job_.attempts_.resize().ranks_started(job_.attempts_.where());
  }

  std::string answer(const std::string& request) {
    Resize& resize = job_.attempts_.resize();
    if (const auto wanted = resize_request(request)) return to_line(resize.begin(*wanted));
    if (request == how_the_resize_stands) return to_line(resize.state());
    return request == "status" ? json() : "{}";
  }

  Supervisor& job_;
  std::set<std::uint32_t> waiting_;  // Ranks that have not started, and may still do.
};

Supervisor::Supervisor(JobOptions& options, const ReachOptions& reach, const Placement& placement,
                       JobInput& input, Frontend& frontend)
    : options_(options),
      log_(*reach.log),
      input_(input),
      frontend_(frontend),
      begun_ns_(base::now_ns()),
      attempts_(options, reach, placement) {}

Supervisor::~Supervisor() {
  control_server_.reset();  // Removes its socket.
  if (!process_.folder.empty()) rmdir(process_.folder.c_str());
}

int Supervisor::run() {
  try {
    return run_attempts();
  } catch (const std::exception& error) {
    if (earlier_.empty()) throw;
    record_end(broken(error), earlier_.back().job_id);
    throw Error(error.what());
  }
}

int Supervisor::run_attempts() {
  std::chrono::milliseconds timeout_used{0};
  while (true) {
    Attempt attempt = next_attempt(timeout_used);
    const std::string id = attempt.plan.job_id;
    if (earlier_.empty()) enter_index(id);
    hide_secrets(attempt.plan);
    const JobReport report = run_once(attempt);
    const std::optional<Attempts::Next> next = next_after(attempt.plan, report);
    if (next) {
      folder_lock_ = lock_until_next(options_.log_folder);
      log_.warning(next->text + "; the logs of this run will be in " + options_.log_dir + "." + id + "/");
    }
    const int signal = frontend_.wait_for_readers(output_wait(report, !next), signals_);
    if (!next) return report.exit_status();
    timeout_used += report.duration + next->delay;
    if (const auto ended = await_next(next->delay, timeout_used, signal)) {
      record_end(*ended, id);
      log_.error(ended->message);
      frontend_.wait_for_readers(last_words_wait, signals_);
      return ended->exit_status();
    }
    note_attempt(attempt, report, next->change);
  }
}

Supervisor::Attempt Supervisor::next_attempt(std::chrono::milliseconds timeout_used) {
  AttemptOptions options = frontend_.next_attempt(attempts_.placement(), earlier_);
  options.timeout_used = timeout_used;
  Plan plan = plan_of(options);
  return {std::move(options), std::move(plan)};
}

Plan Supervisor::plan_of(const AttemptOptions& attempt) const {
  const Placement& placement = attempts_.placement();
  return make_plan(placement.table, placement.hosts, attempts_.addresses(), options_, attempt);
}

void Supervisor::enter_index(const std::string& job_id) {
  index_ = options_.job_index.empty() ? job_index() : fs::absolute(options_.job_index);
  if (!index_.empty()) {
    prune_job_index(index_);
    if (const std::string why = make_entry(index_ / job_id); !why.empty())
      log_.warning("adarun ps, status, attach and stop will not know this job: " + why);
    process_ = supervisor_here(index_ / job_id, frontend_.is_detached());
  }
  name_claim_ = frontend_.enter(process_, job_id);
  if (!index_.empty()) control_server_ = std::make_unique<ControlServer>(process_.socket());
}

// Removes from the log the values of variables whose names mark them as secret.
void Supervisor::hide_secrets(const Plan& plan) {
  const auto hide = [this](const std::vector<std::string>& variables) {
    for (const std::string& variable : variables)
      if (masked(variable) != variable) log_.hide(variable.substr(variable.find('=') + 1));
  };
  hide(plan.options.environment);
  for (const Role& role : plan.options.roles) hide(role.environment);
  log_.hide(plan.job_spec.mpi_secret);
}

// Moves to another folder than the default one while another job writes there.
void Supervisor::open_logs(Attempt& attempt, std::optional<LogFolder>& logs) {
  const auto open = [&] {
    logs.emplace(options_.log_folder, index_, attempt.plan,
                 LogFolderOptions{options_.log_limit, process_, std::exchange(folder_lock_, {})});
  };
  try {
    return open();
  } catch (const FolderInUse&) {
    if (!options_.log_dir_may_move) throw;
  }
  const std::string in_use = options_.log_dir;
  const std::string ending = "." + (options_.name.empty() ? attempt.plan.job_id : options_.name);
  options_.log_dir += ending;
  options_.log_folder += ending;
  attempt.plan = plan_of(attempt.options);
  log_.warning(in_use + "/: another job writes there; the logs of this one are in " + options_.log_dir + "/");
  open();
}

// Errors during the run become failures in the report; throws only if the log folder cannot be created.
JobReport Supervisor::run_once(Attempt& attempt) {
  const Plan& plan = attempt.plan;
  std::optional<LogFolder> folder;
  open_logs(attempt, folder);
  LogFolder& logs = *folder;
  name_claim_.reset();
  log_.open_file_in(logs.opened(), "adarun.log");
  JobObserver& shown = frontend_.begin(plan);
  JobLog decisions(plan, shown, log_);
  StartTrace trace(plan, begun_ns_);
  AttemptObserver observer(*this, plan, shown);
  std::vector<JobObserver*> told{&logs, &decisions, &shown, &observer};
  if (!options_.trace_file.empty()) told.push_back(&trace);
  Observers observers(told);
  JobReport report = run_on_nodes(attempt, observers);
  frontend_.end();
  const bool traced = has_written(trace, options_.trace_file, report);
  try {
    logs.finish(report);
  } catch (const Error& error) {
    report.failures.push_back(broken(error));
  }
  decisions.end(report);
  frontend_.report(plan, report, logs);
  if (traced) log_.warning("wrote " + options_.trace_file);
  return report;
}

// Turns an exception into a failure of the job, so that it is in the job's files and reported to the user.
JobReport Supervisor::run_on_nodes(Attempt& attempt, JobObserver& observer) {
  NodeReplacement::TakePlace take_place;
  if (options_.spares_join())
    take_place = [this, &attempt](std::uint32_t node) { return replace(node, attempt); };
  try {
    const std::unique_ptr<Transport> transport = attempts_.connect();
    return run_job(attempt.plan, *transport, observer, {signals_, input_}, std::move(take_place));
  } catch (const std::exception& error) {
    return {std::vector<RankRecord>(attempt.plan.world_size()), {broken(error)}, {}};
  }
}

// Returns why not; empty: a spare is there.
std::string Supervisor::replace(std::uint32_t node, Attempt& attempt) {
  try {
    return attempts_.replace(node, [&] { replace_node(attempt.plan, node, plan_of(attempt.options)); });
  } catch (const std::exception& error) {
    return error.what();
  }
}

// A job that cannot continue, for example with too few nodes for AdaSum, ends as it would without further
// attempts.
std::optional<Attempts::Next> Supervisor::next_after(const Plan& plan, const JobReport& report) {
  try {
    std::optional<Attempts::Next> next = attempts_.after(plan, report);
    if (!next || !input_.is_spent()) return next;
    log_.error(
        "not run again: ranks have read from stdin what cannot be read a second time (a file can: < FILE)");
    return std::nullopt;
  } catch (const std::exception& error) {
    log_.error(error.what());
    return std::nullopt;
  }
}

// Waits before the next attempt: for `delay`, as far as the job's timeout, of which `used` is used by then,
// allows. `signal`: one that has come already, or 0. Returns what ends the job instead.
std::optional<Failure> Supervisor::await_next(std::chrono::milliseconds delay, std::chrono::milliseconds used,
                                              int signal) {
  const std::chrono::milliseconds over =
      options_.timeout ? used - *options_.timeout : std::chrono::milliseconds(-1);
  const auto wait = over.count() < 0 ? delay : std::max(delay - over, {});
  if (signal == 0) signal = pause(wait, signals_);
  if (signal != 0) return interrupt_failure(signal);
  if (over.count() >= 0) return timeout_failure(*options_.timeout);
  return std::nullopt;
}

void Supervisor::note_attempt(const Attempt& attempt, const JobReport& report, const std::string& change) {
  std::vector<std::string> names;
  for (const NodePlan& node : attempt.plan.nodes) names.push_back(node.host.name);
  earlier_.push_back({attempt.plan.job_id, begun_ns_, report.duration, fold_names(names),
                      attempt.plan.world_size(), report.exit_status(),
                      report.failures.empty() ? "" : report.failures.front().message, change});
  begun_ns_ = base::now_ns();
}

// For a job that has no next attempt, though it was to have one: the files of the last one, of this id, tell
// how that ended. Another job may have its log folder by now.
void Supervisor::record_end(const Failure& failure, const std::string& id) {
  const fs::path renamed = options_.log_folder.string() + "." + id;
  for (const fs::path& folder : {options_.log_folder, index_ / id, renamed}) {
    try {
      add_job_end(folder, id, failure);
    } catch (const Error& error) {
      log_.warning(error.what());
    }
  }
}

}  // namespace adarun::launcher
