// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace adarun::base {

std::filesystem::path own_program() {
  std::error_code error;
  std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw std::runtime_error("/proc/self/exe: " + error.message() +
                             "; adarun and its agents need /proc: mount -t proc proc /proc");
  return file;
}

std::uint64_t start_ticks(pid_t pid) {
  constexpr int fields_before = 18;  // Between the state and the start time.
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), text, '\0');
  const std::size_t name_end = text.rfind(')');  // The name may contain ")" and blanks.
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  char state = 0;
  rest >> state;
  if (state == 'Z' || state == 'X') return 0;
  std::string skipped;
  for (int i = 0; i < fields_before; ++i) rest >> skipped;
  std::uint64_t ticks = 0;
  rest >> ticks;
  return ticks;
}

bool is_hidden(pid_t pid) {
  const bool exists = ::kill(pid, 0) == 0 || errno == EPERM;
  return exists && ::access(("/proc/" + std::to_string(pid) + "/stat").c_str(), R_OK) != 0;
}

namespace {

struct Mount {
  std::string root;   // The part of the file system that is mounted.
  std::string point;  // Where it is mounted.
};

// mountinfo writes spaces and the like as a backslash and three octal digits.
std::string unescaped(const std::string& text) {
  constexpr int octal = 8;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, octal));
      i += 3;
    } else {
      result += text[i];
    }
  return result;
}

// "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw": any number of optional
// fields before the dash.
std::optional<Mount> find_mount(const std::string& mountinfo) {
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos || line.compare(dash + 3, 8, "cgroup2 ") != 0) continue;
    std::istringstream fields(line);
    std::string skipped;
    Mount mount;
    if (fields >> skipped >> skipped >> skipped >> mount.root >> mount.point)
      return Mount{unescaped(mount.root), unescaped(mount.point)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> cgroup_folder(const std::string& mountinfo, const std::string& cgroup) {
  const auto mount = find_mount(mountinfo);
  if (!mount) return std::nullopt;
  std::istringstream lines(cgroup);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 3, "0::") != 0) continue;
    std::string path = line.substr(3);
    if (path.find("/..") != std::string::npos) return std::nullopt;  // Outside of what is mounted.
    if (mount->root != "/") {
      const bool inside =
          path == mount->root || path.compare(0, mount->root.size() + 1, mount->root + "/") == 0;
      if (!inside) return std::nullopt;
      path.erase(0, mount->root.size());
    }
    return path == "/" || path.empty() ? mount->point : mount->point + path;
  }
  return std::nullopt;
}

FileLimit::FileLimit() {
  getrlimit(RLIMIT_NOFILE, &before_);
  rlimit most = before_;
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_NOFILE, &most);
}

FileLimit::~FileLimit() {
  give_back(0);
}

void FileLimit::give_back(pid_t child) const {
  prlimit(child, RLIMIT_NOFILE, &before_, nullptr);
}

}  // namespace adarun::base
