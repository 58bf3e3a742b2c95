// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/core_file.h"

#include <unistd.h>

#include "base/read_text.h"

namespace adarun::launcher::agent {
namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string expanded(char specifier, const CrashedProcess& dead) {
  constexpr std::size_t comm_length = 15;  // The kernel truncates names to this.
  switch (specifier) {
    case '%':
      return "%";
    case 'p':
    case 'P':
      return std::to_string(dead.pid);
    case 'e':
      return base_name(dead.program).substr(0, comm_length);
    case 'f':
      return base_name(dead.program);
    case 'h':
      return dead.hostname;
    case 's':
      return std::to_string(dead.signal);
    default:
      return "*";
  }
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string core_file(const std::string& pattern, bool uses_pid, const CrashedProcess& dead) {
  if (pattern.empty()) return "";
  if (pattern.front() == '|') return "given to " + pattern.substr(1, pattern.find(' ') - 1);
  std::string path = pattern.front() == '/' ? "" : dead.workdir + '/';
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
    } else if (++i < pattern.size()) {
      path += expanded(pattern[i], dead);
    }
  }
  const bool has_pid = pattern.find("%p") != std::string::npos;
  return uses_pid && !has_pid ? path + '.' + std::to_string(dead.pid) : path;
}

std::string core_file(const CrashedProcess& dead) {
  const std::string pattern = first_line(base::read_text("/proc/sys/kernel/core_pattern"));
  const bool uses_pid = first_line(base::read_text("/proc/sys/kernel/core_uses_pid")) == "1";
  const std::string path = core_file(pattern, uses_pid, dead);
  const bool is_sure = path.find('*') == std::string::npos && path.starts_with('/');
  // The process may have changed its working directory.
  return is_sure && ::access(path.c_str(), F_OK) != 0 ? "by the pattern " + pattern : path;
}

}  // namespace adarun::launcher::agent
