// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/find_job.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/arguments/job_name.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/job/failure.h"
#include "launcher/record/job_file.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

// "several jobs run", and a line for each.
ExitError several_run(const std::vector<const JobFile*>& running) {
  constexpr std::size_t most_command_bytes = 40;
  std::string text = "several jobs run, say which:";
  for (const JobFile* job : running) {
    const auto time = job->ran_for();
    text += "\n  " + job->called() + ": " + base::clean_line(command_of(*job), most_command_bytes) +
            (time ? ", for " + base::elapsed(*time) : "");
  }
  return ExitError(exit_usage, text);
}

// One whose attempt has ended, but whose supervisor may begin another one, runs, too. Those of other machines
// do not count.
JobFile only_one_running() {
  const std::vector<JobFile> jobs = indexed_jobs();
  if (jobs.empty()) throw ExitError(exit_failed, "no job in " + launcher::job_index().string());
  std::vector<const JobFile*> latest;  // Attempts.
  std::vector<const JobFile*> running;
  for (const JobFile& job : jobs) {
    const auto is_of_it = [&job](const JobFile* later) { return later->supervisor == job.supervisor; };
    if (job.supervisor.pid > 0 && std::ranges::any_of(latest, is_of_it)) continue;
    latest.push_back(&job);
    if (job.state != "done" && is_in_use(job)) running.push_back(&job);
  }
  std::erase_if(running, [](const JobFile* job) { return !is_of_this_machine(*job); });
  if (running.size() > 1) throw several_run(running);
  return running.empty() ? jobs.front() : *running.front();
}

std::string in_one_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

using Clock = std::chrono::steady_clock;

// Others hold the lock for as long as it takes to write a job.json.
constexpr std::chrono::seconds longest_hold{5};
constexpr std::chrono::milliseconds between_tries{5};

// Where the file system has no locks, two jobs that start at once may get one name, which then means the
// newest.
base::FileDescriptor lock_index(const std::filesystem::path& index) {
  base::FileDescriptor lock(open(index.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Clock::time_point end = Clock::now() + longest_hold;
  while (lock && flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (Clock::now() >= end)
      throw ExitError(exit_could_not_start,
                      "--name: " + index.string() + ": another adarun holds this folder");
    std::this_thread::sleep_for(between_tries);
  }
  return lock;
}

}  // namespace

std::vector<JobFile> indexed_jobs(const fs::path& index) {
  std::vector<JobFile> jobs;
  std::error_code error;
  for (fs::directory_iterator each(index, error), end; !error && each != end; each.increment(error))
    if (auto job = readable_job(each->path())) jobs.push_back(std::move(*job));
  std::sort(jobs.begin(), jobs.end(), [](const JobFile& one, const JobFile& other) {
    return std::tie(one.began_ns, one.id) > std::tie(other.began_ns, other.id);
  });
  return jobs;
}

std::optional<JobFile> job_named(const std::string& name) {
  if (!is_job_name(name) || is_job_id(name)) return std::nullopt;
  for (JobFile& job : indexed_jobs()) {
    if (job.name != name) continue;
    const auto other = fs::is_directory(name) ? read_job(name) : std::nullopt;
    if (other && other->id != job.id)
      throw ExitError(exit_usage, name + ": the name of job " + job.id + ", and here the log folder of job " +
                                      other->id + "; say the id, or ./" + name + " for the folder");
    return std::move(job);
  }
  return std::nullopt;
}

std::optional<JobFile> indexed_job(const std::string& id) {
  if (is_job_id(id)) return readable_job(launcher::job_index() / id);  // Others need not be read.
  std::vector<JobFile> found;
  for (JobFile& job : indexed_jobs()) {
    if (job.id == id) return std::move(job);
    if (job.id.rfind(id, 0) == 0) found.push_back(std::move(job));
  }
  if (found.size() > 1)
    throw ExitError(exit_usage,
                    id + ": " + std::to_string(found.size()) + " jobs begin so; see adarun ps -a");
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

JobFile find_job(const std::string& name) {
  if (name.empty()) return only_one_running();
  if (auto job = job_named(name)) return *job;
  if (fs::is_directory(name)) {
    if (auto job = read_job(name)) return *job;
    throw ExitError(exit_failed, name + ": no job.json in this folder");
  }
  if (auto job = indexed_job(name)) return *job;
  throw ExitError(exit_failed,
                  name + ": no such job in " + launcher::job_index().string() + ", and no folder");
}

void require_here(const JobFile& job) {
  if (job.supervisor.folder.empty()) throw ExitError(exit_failed, job.title() + ": it cannot be reached");
  if (!is_of_this_machine(job))
    throw ExitError(exit_failed, job.title() + ": was started on " + job.supervisor.host + "; ask there");
}

JobFile find_job_here(const std::string& name) {
  JobFile job = find_job(name);
  require_here(job);
  return job;
}

JobFile last_attempt_of(const JobFile& job) {
  for (const JobFile& each : indexed_jobs())
    if (!each.earlier.empty() && first_id_of(each) == job.id) return each;
  return job;
}

JobFile last_run_of(const JobFile& job) {
  for (const JobFile& each : indexed_jobs())
    if (each.supervisor == job.supervisor) return each;
  const auto present = job.log_dir.starts_with('/') ? readable_job(job.log_dir) : std::nullopt;
  return present && present->supervisor == job.supervisor ? *present : job;
}

std::string command_of(const JobFile& job) {
  std::string text;
  for (const launcher::Role& role : job.roles)
    text += (text.empty() ? "" : "; ") + role.name + ": " + in_one_line(role.argv);
  if (job.roles.empty()) text = in_one_line(job.argv);
  return base::clean_line(text, std::string::npos);
}

base::FileDescriptor claim_name(const std::filesystem::path& index, const std::string& name) {
  base::FileDescriptor lock = lock_index(index);
  for (const JobFile& job : indexed_jobs(index)) {
    if (job.name == name && is_in_use(job))
      throw ExitError(exit_could_not_start, "--name " + name + ": job " + job.id +
                                                " has this name and runs; choose another, or stop that job");
    if (begins_like_job_id(name) && job.id.starts_with(name))
      throw ExitError(exit_usage,
                      "--name " + name + ": the id of job " + job.id + " begins so; choose another name");
  }
  return lock;
}

std::size_t attempt_of(const JobFile& job) {
  return job.earlier.size() + 1;
}

std::string first_id_of(const JobFile& job) {
  return job.earlier.empty() ? job.id : job.earlier.front().job_id;
}

bool continues_from(const JobFile& job, const std::string& id) {
  return std::any_of(job.earlier.begin(), job.earlier.end(),
                     [&id](const launcher::EarlierAttempt& each) { return each.job_id == id; });
}

bool may_continue(const JobFile& job) {
  const bool is_resized =
      job.state == "interrupted" && job.failure_kind == launcher::name_of(launcher::Failure::Kind::resized);
  return (job.state == "failed" || is_resized) && is_in_use(job) && last_run_of(job).id == job.id;
}

bool may_write_to(const fs::path& folder, const JobFile& job) {
  if (job.running()) return true;
  const fs::path place = folder.lexically_normal();
  const bool is_left = place.filename().string().ends_with("." + job.id) && place != job.log_dir;
  return job.state != "done" && !is_left && is_in_use(job);
}

std::string node_list_of(const JobFile& job) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const JobFile::Rank& rank : job.ranks)
    if (known.insert(rank.node).second) names.push_back(rank.node);
  return launcher::fold_names(names);
}

std::string text_of(const launcher::EarlierAttempt& attempt) {
  std::string text = attempt.job_id + " on " + attempt.nodes + ", " +
                     base::counted(attempt.world_size, "rank") + ", " + base::elapsed(attempt.duration);
  if (!attempt.failure.empty()) text += ": " + attempt.failure;
  if (!attempt.change.empty()) text += "; " + attempt.change;
  return base::clean_line(text);
}

fs::path log_dir_of(const launcher::EarlierAttempt& attempt, const JobFile& job, const fs::path& folder) {
  const auto without_slash = [](const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
  };
  fs::path own = without_slash(folder.lexically_normal());
  if (own.empty() || own.filename() == "." || own.filename() == "..")
    own = without_slash(fs::absolute(own).lexically_normal());
  std::string base = own.string();
  const std::string renamed = "." + job.id;
  if (!job.id.empty() && base.ends_with(renamed)) base.resize(base.size() - renamed.size());
  fs::path earlier = base + "." + attempt.job_id;
  if (!fs::is_directory(fs::symlink_status(earlier)) || launcher::job_id_in(earlier) != attempt.job_id)
    return {};
  return earlier;
}

}  // namespace adarun::cli
