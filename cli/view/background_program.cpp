// SPDX-License-Identifier: Apache-2.0
#include "cli/view/background_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds end_timeout{10};
constexpr std::chrono::milliseconds end_poll_interval{5};
constexpr int status_not_found = 127;

[[noreturn]] void become(char** argv, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool orphan = getppid() != parent;
  if (out < 0 || in < 0 || orphan || setsid() < 0) _exit(status_not_found);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execv(argv[0], argv);
  _exit(status_not_found);
}

}  // namespace

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& argv, int output) {
  std::vector<char*> raw;
  for (const std::string& argument : argv) raw.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  raw.push_back(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(raw.data(), output, parent);
}

BackgroundProgram::~BackgroundProgram() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  const auto deadline = Clock::now() + end_timeout;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(end_poll_interval);
  }
}

bool BackgroundProgram::has_ended() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

bool BackgroundProgram::succeeds_within(std::chrono::milliseconds time) const {
  const auto deadline = Clock::now() + time;
  while (!has_ended() && Clock::now() < deadline) std::this_thread::sleep_for(end_poll_interval);
  siginfo_t info{};
  const int options = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(pid_), &info, options) == 0 && info.si_pid != 0 &&
         info.si_code == CLD_EXITED && info.si_status == 0;
}

}  // namespace adarun::cli
