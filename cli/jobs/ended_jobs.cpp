// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/ended_jobs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "cli/arguments/command.h"
#include "cli/jobs/find_job.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::uint64_t block_bytes = 512;  // Of st_blocks.

// A folder of this user that is not a symbolic link.
bool is_own_folder(const fs::path& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid();
}

// Space on disk of a file or folder. Files that have other names elsewhere free nothing.
std::uint64_t space_of(const fs::path& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return 0;
  std::uint64_t bytes = block_bytes * static_cast<std::uint64_t>(facts.st_blocks);
  if (!S_ISDIR(facts.st_mode)) return facts.st_nlink > 1 ? 0 : bytes;
  std::error_code error;
  for (fs::directory_iterator each(path, error), end; !error && each != end; each.increment(error))
    bytes += space_of(each->path());
  return bytes;
}

// Other tools have files of that name, too.
bool is_adaruns(const JobFile& job) {
  static const std::set<std::string> states{"done", "failed", "interrupted", "lost", "running"};
  return !job.id.empty() && states.contains(job.state) && job.log_dir.starts_with('/');
}

std::optional<JobFile> job_in(const fs::path& folder) {
  const bool is_entry = folder.parent_path() == launcher::job_index();  // It holds a copy of job.json.
  if (is_entry || !is_own_folder(folder)) return std::nullopt;
  try {
    auto job = read_job(folder);
    return job && is_adaruns(*job) ? job : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // Not adarun's, or incomplete.
  }
}

bool is_renamed(const fs::path& folder, const std::string& id) {
  return folder.filename().string().ends_with("." + id);
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    if (is_own_folder(each->path())) folders.push_back(each->path());
  return folders;
}

// Folders that later jobs have renamed, `folder.<job id>`, and those of jobs that ran beside others.
std::vector<fs::path> renamed_from(const fs::path& folder) {
  std::vector<fs::path> renamed;
  const std::string beginning = folder.filename().string() + ".";
  for (const fs::path& each : folders_in(folder.parent_path()))
    if (each.filename().string().starts_with(beginning))
      if (const auto job = job_in(each); job && (is_renamed(each, job->id) || each == fs::path(job->log_dir)))
        renamed.push_back(each);
  return renamed;
}

fs::path full_path(const fs::path& folder) {
  const fs::path full = fs::absolute(folder).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

// Where to look for jobs, and jobs of the index that count even if their folders are gone.
struct Wanted {
  std::set<fs::path> folders;
  std::set<std::string> ids;
};

void add_job(Wanted& wanted, const JobFile& job) {
  const std::string& host = job.supervisor.host;
  const bool is_here = host.empty() || is_of_this_machine(job);
  if (is_in_use(job))
    throw ExitError(
        exit_failed,
        job.title() + ": " + (is_here ? "runs; stop it first" : "may run on " + host + "; prune it there"));
  wanted.ids.insert(job.id);
  if (!job.log_dir.empty()) wanted.folders.insert(log_dir_of(job));
}

void add_folder(Wanted& wanted, const std::string& place) {
  const fs::path folder = full_path(place);
  const std::vector<fs::path> renamed = renamed_from(folder);
  if (!fs::is_directory(folder) && renamed.empty())
    throw ExitError(exit_failed,
                    place + ": no such folder, and no such job in " + launcher::job_index().string());
  wanted.folders.insert(renamed.begin(), renamed.end());
  wanted.folders.insert(folder);
  for (const fs::path& each : folders_in(folder)) wanted.folders.insert(each);
}

Wanted wanted_at(const std::vector<std::string>& places) {
  Wanted wanted;
  for (const std::string& place : places) {
    const auto named = job_named(place);
    const auto job = named || fs::is_directory(place) ? named : indexed_job(place);
    if (job)
      add_job(wanted, *job);
    else
      add_folder(wanted, place);
  }
  return wanted;
}

// All jobs of the index. A folder that a job of another id uses by now is found as that job's.
Wanted all_of(const std::map<std::string, JobFile>& jobs) {
  std::set<fs::path> log_dirs;
  Wanted wanted;
  for (const auto& [id, job] : jobs) {
    wanted.ids.insert(id);
    if (job.log_dir.empty()) continue;
    wanted.folders.insert(log_dir_of(job));
    log_dirs.insert(full_path(job.log_dir));
  }
  for (const fs::path& log_dir : log_dirs)
    for (const fs::path& each : renamed_from(log_dir)) wanted.folders.insert(each);
  return wanted;
}

bool is_locked(const fs::path& folder) {
  try {
    launcher::lock_folder(folder);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

std::int64_t end_of(const JobFile& job, const fs::path& folder) {
  struct stat facts {};
  if (job.state == "lost" && stat((folder / "job.json").c_str(), &facts) == 0)
    return facts.st_mtim.tv_sec * ns_per_s + facts.st_mtim.tv_nsec;
  return job.began_ns + job.duration_ms * ns_per_ms;
}

// What is found in a log folder: docs/formats.md.
bool is_file_of_a_job(const fs::directory_entry& entry) {
  static const std::regex names(
      R"((worker|env|hang)_[0-9]+(\.kept(\.[0-9]+)?)?\.(log|log\.gz|txt)|adarun(\.1)?\.log)"
      R"(|(job|rank_table)\.json(\.new|\.[0-9a-f]{32}\.unfinished)?|events\.jsonl|line_times\.txt|metrics\.jsonl)");
  return entry.symlink_status().type() == fs::file_type::regular &&
         std::regex_match(entry.path().filename().string(), names);
}

// Others may have put something there since it was looked at. job.json goes last: what an interruption leaves
// is still known to be the job's.
void remove_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_file_of_a_job(entry))
      throw std::runtime_error(entry.path().string() + ": not adarun's; the folder stays");
    if (entry.path().filename() != "job.json") files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file);
  fs::remove(folder / "job.json");
  fs::remove(folder);
}

}  // namespace

std::vector<EndedJob> ended_jobs(const std::vector<std::string>& places) {
  std::map<std::string, JobFile> indexed;
  for (JobFile& job : indexed_jobs()) indexed.emplace(job.id, std::move(job));
  std::vector<EndedJob> found;
  const auto add = [&found](const JobFile& job, const fs::path& folder, const fs::path& entry) {
    if (is_in_use(job) || (!folder.empty() && is_locked(folder))) return;
    found.push_back({job, folder, entry, end_of(job, folder.empty() ? entry : folder),
                     (folder.empty() ? 0 : space_of(folder)) + (entry.empty() ? 0 : space_of(entry))});
  };
  const Wanted wanted = places.empty() ? all_of(indexed) : wanted_at(places);
  std::set<std::string> with_folder;
  for (const fs::path& folder : wanted.folders) {
    const auto job = job_in(folder);
    if (!job) continue;
    const bool is_first = with_folder.insert(job->id).second && indexed.contains(job->id);
    add(*job, folder, is_first ? launcher::job_index() / job->id : fs::path());
  }
  for (const std::string& id : wanted.ids)
    if (!with_folder.contains(id)) add(indexed.at(id), {}, launcher::job_index() / id);
  std::sort(found.begin(), found.end(), [](const EndedJob& one, const EndedJob& other) {
    return std::tie(one.ended_ns, one.job.id) > std::tie(other.ended_ns, other.job.id);
  });
  return found;
}

std::string foreign_file_of(const EndedJob& ended) {
  if (ended.folder.empty()) return "";
  std::error_code error;
  for (fs::directory_iterator each(ended.folder, error), end; !error && each != end; each.increment(error))
    if (!is_file_of_a_job(*each)) return each->path().filename();
  return "";
}

void remove_job(const EndedJob& ended) {
  const auto remove = [&ended] {
    if (!ended.folder.empty()) {
      const base::FileDescriptor lock = launcher::lock_folder(ended.folder);
      if (launcher::job_id_in(ended.folder) != ended.job.id)
        throw std::runtime_error(ended.folder.string() + ": another job has this folder by now");
      remove_folder(ended.folder);
    }
    if (!ended.entry.empty()) launcher::drop_from_index(ended.entry);
  };
  or_exit<std::exception>(exit_failed, remove, ended.job.title() + ": ");
}

}  // namespace adarun::cli
