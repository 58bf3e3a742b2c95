// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/find_job.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <tuple>

#include "base/clean_text.h"
#include "cli/options/command.h"
#include "launcher/record/job_index.h"
#include "launcher/record/supervisor.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

JobFile only_one_running() {
  const std::vector<JobFile> jobs = indexed_jobs();
  if (jobs.empty()) throw Quit(exit_failed, "no job in " + launcher::job_index().string());
  std::string ids;
  const JobFile* running = nullptr;
  for (const JobFile& job : jobs) {
    if (!job.running()) continue;
    running = &job;
    ids += (ids.empty() ? "" : ", ") + job.id;
  }
  if (ids.find(',') != std::string::npos) throw Quit(exit_usage, "several jobs run, say which: " + ids);
  return running != nullptr ? *running : jobs.front();
}

}  // namespace

std::vector<JobFile> indexed_jobs() {
  std::vector<JobFile> jobs;
  std::error_code error;
  for (fs::directory_iterator each(launcher::job_index(), error), end; !error && each != end;
       each.increment(error)) {
    try {
      if (auto job = read_job(each->path())) jobs.push_back(std::move(*job));
    } catch (const std::exception&) {
      continue;  // Skip an incomplete file, or one of another version.
    }
  }
  std::sort(jobs.begin(), jobs.end(), [](const JobFile& one, const JobFile& other) {
    return std::tie(one.began_ns, one.id) > std::tie(other.began_ns, other.id);
  });
  return jobs;
}

JobFile find_job(const std::string& name) {
  if (name.empty()) return only_one_running();
  if (fs::is_directory(name)) {
    if (auto job = read_job(name)) return *job;
    throw Quit(exit_failed, name + ": no job.json in this folder");
  }
  std::vector<JobFile> found;
  for (JobFile& job : indexed_jobs()) {
    if (job.id == name) return job;
    if (job.id.rfind(name, 0) == 0) found.push_back(std::move(job));
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw Quit(exit_failed, name + ": no such job in " + launcher::job_index().string() + ", and no folder");
  throw Quit(exit_usage, name + ": " + std::to_string(found.size()) + " jobs begin so; see adarun ps -a");
}

JobFile find_job_here(const std::string& name) {
  JobFile job = find_job(name);
  const std::string here = launcher::supervisor_here("", false).host;
  if (job.supervisor.folder.empty()) throw Quit(exit_failed, "job " + job.id + ": it cannot be reached");
  if (job.supervisor.host != here)
    throw Quit(exit_failed, "job " + job.id + ": was started on " + job.supervisor.host + "; ask there");
  return job;
}

JobFile last_run_of(const JobFile& job) {
  for (const JobFile& each : indexed_jobs())
    if (each.supervisor == job.supervisor) return each;
  return job;
}

std::string command_of(const JobFile& job) {
  std::string text;
  for (const std::string& word : job.argv) text += (text.empty() ? "" : " ") + word;
  return base::clean_line(text, std::string::npos);
}

}  // namespace adarun::cli
