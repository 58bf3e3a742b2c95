// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "base/name_service.h"
#include "base/process.h"
#include "base/unix_socket.h"
#include "launcher/record/job_file.h"

namespace adarun::launcher {

namespace fs = std::filesystem;

namespace {

// Looked up once: the user database may be on a slow network.
const std::string& home_of_user() {
  static const std::string home = base::user_of(getuid()).value_or(base::User{}).home;
  return home;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// False if the socket cannot be accessed, for example for lack of permission.
bool nobody_listens_at(const std::string& socket) {
  return !base::connect_to(socket, base::Wait::no) && (errno == ECONNREFUSED || errno == ENOENT);
}

}  // namespace

SupervisorProcess supervisor_here(const std::string& folder, bool detached) {
  return {host_name(), getpid(), base::start_ticks(getpid()), folder, detached};
}

bool is_gone(const SupervisorProcess& supervisor) {
  if (supervisor.pid <= 0 || supervisor.host != host_name()) return false;
  if (!base::is_hidden(supervisor.pid)) return base::start_ticks(supervisor.pid) != supervisor.ticks;
  return !supervisor.folder.empty() && nobody_listens_at(supervisor.socket());
}

bool may_run_elsewhere(const SupervisorProcess& supervisor) {
  std::error_code none;
  return !supervisor.host.empty() && supervisor.host != host_name() && !supervisor.folder.empty() &&
         fs::is_socket(supervisor.socket(), none);
}

fs::path job_index() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "adarun" / "jobs";
  const char* home = std::getenv("HOME");
  const fs::path folder = home != nullptr ? home : home_of_user();
  // A missing home, such as /nonexistent of system accounts, is not created.
  std::error_code ignored;
  if (!folder.is_absolute() || !fs::is_directory(folder, ignored)) return "";
  return folder / ".local/state/adarun/jobs";
}

// A running job listens on a socket, that of its first attempt, and is kept, also one that hangs. Only
// known files are removed.
void drop_from_index(const fs::path& job) {
  SupervisorProcess its = supervisor_in(job);
  if (its.folder.empty()) its.folder = job;
  if (may_run_elsewhere(its) || base::connect_to(its.socket(), base::Wait::no) || errno == EAGAIN) return;
  for (const char* name : {"job.json", "output", "socket"}) unlink((job / name).c_str());
  rmdir(job.c_str());
}

void prune_job_index(const fs::path& index) {
  std::error_code error;
  std::vector<fs::path> jobs;
  for (fs::directory_iterator each(index, error), end; !error && each != end; each.increment(error))
    jobs.push_back(each->path());
  if (jobs.size() <= most_indexed_jobs) return;
  std::sort(jobs.begin(), jobs.end());  // Ids begin with their date.
  jobs.resize(jobs.size() - most_indexed_jobs);
  for (const fs::path& job : jobs) drop_from_index(job);
}

}  // namespace adarun::launcher
