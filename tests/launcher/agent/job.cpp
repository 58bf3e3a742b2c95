// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/agent/job.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {

JobFolder::JobFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "adarun_agent_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
  path_ = name;
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  std::filesystem::remove_all("/dev/shm/" + path_.filename().string(), ignored);
}

protocol::Start JobFolder::start(std::vector<std::vector<std::string>> programs) const {
  protocol::Start start;
  start.job_id = path_.filename();
  start.world_size = static_cast<std::uint32_t>(programs.size());
  start.scratch = path_ / "scratch";
  start.shm_folder = "/dev/shm/" + path_.filename().string();
  start.mpi = protocol::Mpi::off;
  start.lease_ms = 60'000;
  start.nodes = {{"n0", {}}};
  for (auto& program : programs) {
    const auto rank = static_cast<std::uint32_t>(start.ranks.size());
    start.nodes[0].ranks.push_back(rank);
    start.ranks.push_back({rank, rank, std::move(program), {}, "", {}});
  }
  return start;
}

bool is_gone(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

bool await_end(pid_t pid) {
  const int pidfd = static_cast<int>(::syscall(434 /* pidfd_open */, pid, 0));
  if (pidfd < 0) return errno == ESRCH;
  pollfd ended{pidfd, POLLIN, 0};
  const std::chrono::milliseconds limit = timeout;
  const bool in_time = ::poll(&ended, 1, static_cast<int>(limit.count())) > 0;
  ::close(pidfd);
  return in_time;
}

pid_t pid_in(const std::string& output, const std::string& name) {
  const std::size_t at = output.find(name + '=');
  return at == std::string::npos ? 0 : std::atoi(output.c_str() + at + name.size() + 1);
}

}  // namespace adarun::launcher::agent
