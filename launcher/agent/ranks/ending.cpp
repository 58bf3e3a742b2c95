// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/ending.h"

#include <signal.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace adarun::launcher::agent {
namespace {

// Of the kernel's include/linux/sched.h: PF_EXITING, PF_DUMPCORE, PF_SIGNALED.
constexpr std::uint64_t exiting = 0x4;
constexpr std::uint64_t dumping_core = 0x200;
constexpr std::uint64_t signaled = 0x400;

// "12 (any (name) it likes) S parent group session terminal its_group flags ..."
bool exits(const std::string& folder) {
  std::string text;
  std::getline(std::ifstream(folder + "stat"), text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  std::string skipped;
  std::uint64_t flags = 0;
  for (int field = 0; field < 6; ++field) rest >> skipped;
  return rest >> flags && (flags & (exiting | dumping_core | signaled)) != 0;
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

}  // namespace

// In this order: a signal is pending until the flags are set.
bool is_ending(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  return has_kill_pending(folder) || exits(folder);
}

}  // namespace adarun::launcher::agent
