// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/process.h"
#include "base/read_text.h"

namespace adarun::launcher::agent {
namespace {

constexpr int fields_to_start = 16;  // Between the group and the start time.

// The fields of /proc/PID/stat behind the name: "12 (any (name) it likes) S 1 12 12 ...". Empty if the
// process is gone.
std::istringstream fields_in(const std::string& folder) {
  std::string text;
  std::getline(std::ifstream(folder + "stat"), text, '\0');
  const std::size_t name_end = text.rfind(')');
  return std::istringstream(name_end == std::string::npos ? "" : text.substr(name_end + 1));
}

std::string folder_of_process(pid_t pid) {
  return "/proc/" + std::to_string(pid) + '/';
}

bool read_process(Process& process) {
  std::istringstream fields = fields_in(folder_of_process(process.pid));
  char state = 0;
  if (!(fields >> state >> process.parent >> process.group)) return false;
  std::string skipped;
  for (int i = 0; i < fields_to_start; ++i) fields >> skipped;
  return static_cast<bool>(fields >> process.start);
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

// Of the kernel's include/linux/sched.h: PF_EXITING, PF_FORKNOEXEC, PF_DUMPCORE, PF_SIGNALED.
constexpr std::uint64_t exiting = 0x4;
constexpr std::uint64_t not_executed = 0x40;
constexpr std::uint64_t dumping_core = 0x200;
constexpr std::uint64_t signaled = 0x400;

// Nothing if the process is gone.
std::optional<std::uint64_t> flags_in(const std::string& folder) {
  std::istringstream fields = fields_in(folder);
  std::string skipped;
  std::uint64_t flags = 0;
  for (int field = 0; field < 6; ++field) fields >> skipped;
  return fields >> flags ? std::optional(flags) : std::nullopt;
}

bool exits(const std::string& folder) {
  return (flags_in(folder).value_or(0) & (exiting | dumping_core | signaled)) != 0;
}

bool has_kill_pending(const std::string& folder) {
  std::ifstream status(folder + "status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) continue;
    const std::uint64_t pending = std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 16);
    if ((pending & (std::uint64_t{1} << (SIGKILL - 1))) != 0) return true;
  }
  return false;
}

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// The number after the last `mark`.
std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at + mark.size()));
}

std::optional<std::uint32_t> rank_of(const std::string& folder) {
  const std::string groups = base::read_text(folder + "cgroup");
  if (groups.find("/adarun-") != std::string::npos)
    if (const auto rank = number_behind(groups, "/rank")) return rank;
  using std::string_view_literals::operator""sv;
  const std::string variables = '\0' + base::read_text(folder + "environ");
  if (variables.find("\0ADARUN_JOB_ID="sv) == std::string::npos) return std::nullopt;
  return number_behind(variables, "\0RANK="sv);
}

// Of processes that no rank has left: a rank that runs, and what it has started.
std::vector<pid_t> of_running(const std::vector<RankLife>& ranks, const std::vector<Process>& all) {
  std::vector<pid_t> result;
  for (const RankLife& life : ranks) {
    if (life.state != RankLife::State::runs) continue;
    result.push_back(life.pid);
    for (const Process& process : descendants(life.pid, all)) result.push_back(process.pid);
  }
  std::ranges::sort(result);
  return result;
}

std::string name_in(const std::string& folder) {
  std::string name = base::read_text(folder + "comm");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

}  // namespace

std::vector<Process> running_processes() {
  std::vector<Process> result;
  for (const pid_t pid : numbers_in("/proc")) {
    Process process{pid, 0, 0};
    if (read_process(process)) result.push_back(process);
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

// In this order: a signal is pending until the flags are set.
bool is_ending(pid_t pid) {
  const std::string folder = folder_of_process(pid);
  return has_kill_pending(folder) || exits(folder);
}

bool has_executed(pid_t pid) {
  return (flags_in(folder_of_process(pid)).value_or(not_executed) & not_executed) == 0;
}

protocol::LeftRunning left_running(const std::vector<RankLife>& ranks) {
  protocol::LeftRunning left;
  const bool any_runs =
      std::ranges::any_of(ranks, [](const RankLife& life) { return life.state == RankLife::State::runs; });
  const bool any_left = std::ranges::any_of(
      ranks, [](const RankLife& life) { return life.state == RankLife::State::ended_well; });
  if (!any_left) return left;
  const std::vector<Process> all = running_processes();
  const std::vector<pid_t> running = of_running(ranks, all);
  for (const Process& process : descendants(::getpid(), all)) {
    if (std::ranges::binary_search(running, process.pid) || is_ending(process.pid)) continue;
    const std::string folder = folder_of_process(process.pid);
    const std::optional<std::uint32_t> rank = rank_of(folder);
    const auto life =
        std::ranges::find_if(ranks, [&rank](const RankLife& each) { return each.rank == rank; });
    const bool is_left = life == ranks.end() ? !any_runs : life->state == RankLife::State::ended_well;
    if (!is_left) continue;
    ++left.count;
    if (left.processes.size() < protocol::LeftRunning::most_named)
      left.processes.push_back({name_in(folder), rank.value_or(protocol::LeftProcess::unknown_rank)});
  }
  return left;
}

}  // namespace adarun::launcher::agent
