// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/process.h"
#include "base/read_text.h"

namespace adarun::launcher::agent {
namespace {

constexpr mode_t private_mode = 0700;
constexpr std::string_view prefix = "adarun-";

bool write_word(const std::string& file, std::string_view word) {
  const base::FileDescriptor fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

std::vector<std::string> folders_in(const std::string& path) {
  std::vector<std::string> result;
  const base::Directory folder(::opendir(path.c_str()));
  while (const dirent* entry =
             folder ? ::readdir(folder.get()) : nullptr) {  // NOLINT: this DIR is ours alone
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") result.push_back(path + '/' + entry->d_name);
  }
  return result;
}

// rmdir removes a group together with its files once it holds no process and no other group.
void remove_group(const std::string& path) {
  for (const std::string& inner : folders_in(path)) remove_group(inner);
  ::rmdir(path.c_str());
}

// The group of an agent that runs is in use, though it is empty while its ranks wait for a restart.
bool belongs_to_a_process(const std::string& path) {
  const pid_t pid = std::atoi(path.c_str() + path.rfind('.') + 1);
  return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
}

// Removes the empty groups of killed agents. A group that was just created may be empty but in use.
void remove_abandoned(const std::string& own) {
  constexpr std::time_t fresh_s = 10;
  for (const std::string& path : folders_in(own)) {
    struct stat facts {};
    const bool is_of_a_job = path.compare(own.size(), prefix.size() + 1, '/' + std::string(prefix)) == 0;
    if (is_of_a_job && !belongs_to_a_process(path) && ::stat(path.c_str(), &facts) == 0 &&
        std::time(nullptr) - facts.st_mtime > fresh_s &&
        base::read_text(path + "/cgroup.events").find("populated 0") != std::string::npos)
      remove_group(path);
  }
}

// Both files have lines "NAME NUMBER" and use the same name for the counter.
std::optional<std::uint64_t> kills_in(const std::string& file) {
  std::istringstream words(base::read_text(file));
  std::string name;
  for (std::uint64_t number = 0; words >> name >> number;)
    if (name == "oom_kill") return number;
  return std::nullopt;
}

}  // namespace

std::optional<Cgroup> Cgroup::make(const std::string& name) {
  const auto own =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  if (!own || name.find('/') != std::string::npos) return std::nullopt;
  remove_abandoned(*own);
  std::string path = *own + '/' + std::string(prefix) + name + '.' + std::to_string(::getpid());
  if (::mkdir(path.c_str(), private_mode) != 0) return std::nullopt;
  Cgroup group(std::move(path));
  if (::access((group.path_ + "/cgroup.kill").c_str(), W_OK) != 0) return std::nullopt;
  group.counts_memory_ = write_word(group.path_ + "/cgroup.subtree_control", "+memory");
  return group;
}

Cgroup::~Cgroup() {
  if (!path_.empty()) remove_group(path_);
}

Cgroup::Member Cgroup::add(std::uint32_t rank) const {
  const std::string path = path_of(rank);
  ::mkdir(path.c_str(), private_mode);
  Member member;
  member.door = base::FileDescriptor(::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (counts_memory_) member.memory_events = path + "/memory.events";
  return member;
}

void Cgroup::kill() const {
  write_word(path_ + "/cgroup.kill", "1");
}

void Cgroup::kill(std::uint32_t rank) const {
  write_word(path_of(rank) + "/cgroup.kill", "1");
}

MemoryWatch::MemoryWatch(std::string group_events, std::string machine_events)
    : group_events_(std::move(group_events)),
      machine_events_(std::move(machine_events)),
      group_before_(kills_in(group_events_)),
      machine_before_(kills_in(machine_events_)) {}

protocol::OutOfMemory MemoryWatch::verdict() const {
  if (const auto kills = kills_in(group_events_))
    return *kills > group_before_.value_or(0) ? protocol::OutOfMemory::yes : protocol::OutOfMemory::no;
  const auto now = kills_in(machine_events_);
  if (!now || !machine_before_) return protocol::OutOfMemory::unknown;
  return *now > *machine_before_ ? protocol::OutOfMemory::likely : protocol::OutOfMemory::no;
}

}  // namespace adarun::launcher::agent
