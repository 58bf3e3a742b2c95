// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace adarun::agent {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// "12 (any (name) it likes) S 1 12 12 ...": the fields that count come after the last ')'.
bool parse_stat(const std::string& text, Process& process) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  return static_cast<bool>(rest >> state >> process.parent >> process.group);
}

}  // namespace

std::vector<Process> running_processes() {
  std::vector<Process> result;
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir("/proc"));
  if (!folder) return result;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT: this DIR is ours alone
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    Process process{std::atoi(entry->d_name), 0, 0};  // NOLINT: the kernel wrote it
    std::string text;
    std::getline(std::ifstream("/proc/" + std::to_string(process.pid) + "/stat"), text, '\0');
    if (parse_stat(text, process)) result.push_back(process);
  }
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
  // Looked up before the first signal: a child that is about to lead its group then gets one or two, never
  // none.
  const std::vector<Process> family = descendants(::getpid(), running_processes());
  for (const pid_t group : groups) ::kill(-group, number);
  for (const Process& process : family)
    if (std::find(groups.begin(), groups.end(), process.group) == groups.end()) ::kill(process.pid, number);
}

void signal_group(int number, pid_t group) {
  for (const Process& process : descendants(::getpid(), running_processes()))
    if (process.group == group) ::kill(process.pid, number);
}

}  // namespace adarun::agent
