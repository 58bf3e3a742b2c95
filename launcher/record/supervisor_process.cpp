// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/supervisor_process.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/process.h"
#include "base/unix_socket.h"

namespace adarun::launcher {
namespace {

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
         std::filesystem::is_socket(supervisor.socket(), none);
}

}  // namespace adarun::launcher
