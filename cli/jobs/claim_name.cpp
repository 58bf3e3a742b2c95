// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/claim_name.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "cli/arguments/command.h"
#include "cli/arguments/job_name.h"
#include "cli/jobs/find_job.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Others hold the lock for as long as it takes to write a job.json.
constexpr std::chrono::seconds longest_hold{5};
constexpr std::chrono::milliseconds between_tries{5};

// Where the file system has no locks, two jobs that start at once may get one name; the newest has it then.
base::FileDescriptor lock_index(const std::filesystem::path& index) {
  base::FileDescriptor lock(open(index.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Clock::time_point end = Clock::now() + longest_hold;
  while (lock && flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (Clock::now() >= end)
      throw Quit(exit_could_not_start, "--name: " + index.string() + ": another adarun holds this folder");
    std::this_thread::sleep_for(between_tries);
  }
  return lock;
}

}  // namespace

base::FileDescriptor claim_name(const std::filesystem::path& index, const std::string& name) {
  base::FileDescriptor lock = lock_index(index);
  for (const JobFile& job : indexed_jobs(index)) {
    if (job.name == name && is_in_use(job))
      throw Quit(exit_could_not_start, "--name " + name + ": job " + job.id +
                                           " has this name and runs; choose another, or stop that job");
    if (begins_like_job_id(name) && job.id.starts_with(name))
      throw Quit(exit_usage,
                 "--name " + name + ": the id of job " + job.id + " begins so; choose another name");
  }
  return lock;
}

}  // namespace adarun::cli
