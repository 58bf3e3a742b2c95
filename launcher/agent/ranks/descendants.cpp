// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/directory.h"

namespace adarun::launcher::agent {
namespace {

// "12 (any (name) it likes) S 1 12 12 ...": the fields wanted come after the last ')'.
bool parse_stat(const std::string& text, Process& process) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  return static_cast<bool>(rest >> state >> process.parent >> process.group);
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

void signal_tree(int number, const std::vector<pid_t>& groups) {
  // Collected before the first signal: processes that end may no longer be found.
  const std::vector<Process> family = descendants(::getpid(), running_processes());
  for (const pid_t group : groups) ::kill(-group, number);
  for (const Process& process : family)
    if (std::find(groups.begin(), groups.end(), process.group) == groups.end()) ::kill(process.pid, number);
}

void signal_group(int number, pid_t group) {
  for (const Process& process : descendants(::getpid(), running_processes()))
    if (process.group == group) ::kill(process.pid, number);
}

}  // namespace adarun::launcher::agent
