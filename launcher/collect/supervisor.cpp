// SPDX-License-Identifier: Apache-2.0
#include "launcher/collect/supervisor.h"

#include <unistd.h>

#include <array>

#include "launcher/posix/process.h"

namespace adarun::launcher {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

Supervisor supervisor_here(const std::string& folder, bool detached) {
  return {host_name(), getpid(), posix::start_ticks(getpid()), folder, detached};
}

bool is_gone(const Supervisor& supervisor) {
  return supervisor.pid > 0 && supervisor.host == host_name() &&
         posix::start_ticks(supervisor.pid) != supervisor.ticks;
}

}  // namespace adarun::launcher
