// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/directory.h"
#include "base/file_descriptor.h"
#include "base/process.h"

namespace adarun::launcher::agent {
namespace {

constexpr int fields_to_start = 16;  // Between the group and the start time.

// "12 (any (name) it likes) S 1 12 12 ...": the fields wanted come after the last ')'.
bool parse_stat(const std::string& text, Process& process) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  if (!(rest >> state >> process.parent >> process.group)) return false;
  std::string skipped;
  for (int i = 0; i < fields_to_start; ++i) rest >> skipped;
  return static_cast<bool>(rest >> process.start);
}

std::vector<pid_t> numbers_in(const char* path) {
  std::vector<pid_t> result;
  const base::Directory folder(::opendir(path));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)  // NOLINT: this DIR is ours alone
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0)
      result.push_back(std::atoi(entry->d_name));  // NOLINT: the kernel wrote it
  return result;
}

// The kernel always lists the children of a process to that process.
void add_hidden_children(std::vector<Process>& processes) {
  for (const pid_t thread : numbers_in("/proc/self/task")) {
    std::ifstream children("/proc/self/task/" + std::to_string(thread) + "/children");
    for (pid_t pid = 0; children >> pid;)
      if (std::none_of(processes.begin(), processes.end(),
                       [pid](const Process& process) { return process.pid == pid; }))
        processes.push_back({pid, ::getpid(), 0});
  }
}

}  // namespace

std::vector<Process> running_processes() {
  std::vector<Process> result;
  for (const pid_t pid : numbers_in("/proc")) {
    Process process{pid, 0, 0};
    std::string text;
    std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), text, '\0');
    if (parse_stat(text, process)) result.push_back(process);
  }
  add_hidden_children(result);
  return result;
}

std::vector<Process> descendants(pid_t root, const std::vector<Process>& all) {
  std::set<pid_t> family{root};
  std::vector<Process> result;
  for (bool grew = true; grew;) {
    grew = false;
    for (const Process& process : all)
      if (family.count(process.parent) != 0 && family.insert(process.pid).second) {
        result.push_back(process);
        grew = true;
      }
  }
  return result;
}

// Once the process is held by a descriptor, its start tells whether it is the one that was listed. What /proc
// hides is a child of ours, whose pid is nobody else's until it is waited for.
void signal_process(int number, const Process& process) {
  const base::FileDescriptor held(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!held && errno == ESRCH) return;
  if (process.start != 0 && base::start_ticks(process.pid) != process.start) return;
  if (held && ::syscall(SYS_pidfd_send_signal, held.get(), number, nullptr, 0) == 0) return;
  if (!held || errno == ENOSYS)
    ::kill(process.pid, number);  // A kernel before 5.3, or no descriptor is left.
}

void signal_tree(int number, const std::vector<pid_t>& groups) {
  // Collected before the first signal: processes that end may no longer be found.
  const std::vector<Process> family = descendants(::getpid(), running_processes());
  for (const pid_t group : groups) ::kill(-group, number);
  for (const Process& process : family)
    if (std::find(groups.begin(), groups.end(), process.group) == groups.end())
      signal_process(number, process);
}

void signal_group(int number, pid_t group) {
  for (const Process& process : descendants(::getpid(), running_processes()))
    if (process.group == group) signal_process(number, process);
}

}  // namespace adarun::launcher::agent
