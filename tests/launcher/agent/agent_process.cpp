// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/agent/agent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace adarun::launcher::agent {
namespace {

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

}  // namespace

AgentProcess::AgentProcess(const std::string& program) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::execl(program.empty() ? AGENT_PROGRAM : program.c_str(), "adarun-agent", nullptr);
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  in_ = to[1];
  out_ = from[0];
}

AgentProcess::~AgentProcess() {
  close_input();
  if (pid_ > 0) wait();
  close_output();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void AgentProcess::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(in_, bytes.data(), bytes.size());
    if (written < 0) return;  // The agent is gone; the message that the test awaits will not arrive.
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AgentProcess::close_input() {
  if (in_ >= 0) ::close(in_);
  in_ = -1;
}

void AgentProcess::close_output() {
  if (out_ >= 0) ::close(out_);
  out_ = -1;
}

bool AgentProcess::read_more() {
  if (out_ < 0) return false;
  pollfd waiting{out_, POLLIN, 0};
  if (::poll(&waiting, 1, milliseconds_until(Clock::now() + timeout)) <= 0) return false;
  // The capacity of a pipe: with less, agent and reader switch ten thousand times over 50 MB.
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(out_, bytes.data(), bytes.size());
  if (size <= 0) return false;
  reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
  return true;
}

std::optional<protocol::Message> AgentProcess::next() {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    if (auto message = reader_.next()) {
      seen_.push_back(*message);
      return message;
    }
    if (Clock::now() > deadline || !read_more()) return std::nullopt;
  }
}

bool AgentProcess::await_output(std::uint32_t rank, const std::string& text, protocol::Stream stream) {
  while (output(rank, stream).find(text) == std::string::npos)
    if (!next()) return false;
  return true;
}

std::vector<protocol::Message> AgentProcess::read_ready() {
  std::vector<protocol::Message> messages;
  if (read_more())
    while (auto message = reader_.next()) messages.push_back(*message);
  seen_.insert(seen_.end(), messages.begin(), messages.end());
  return messages;
}

std::string AgentProcess::output(std::uint32_t rank, protocol::Stream stream) const {
  std::string result;
  for (const protocol::Message& message : seen_)
    if (const auto* output = std::get_if<protocol::Output>(&message);
        output != nullptr && output->rank == rank && output->stream == stream)
      result += output->bytes;
  return result;
}

int AgentProcess::wait() {
  while (next()) {
  }
  const int pidfd = static_cast<int>(::syscall(434 /* pidfd_open */, pid_, 0));
  pollfd ended{pidfd, POLLIN, 0};
  const bool in_time = ::poll(&ended, 1, milliseconds_until(Clock::now() + timeout)) > 0;
  ::close(pidfd);
  int status = 0;
  if (!in_time || ::waitpid(pid_, &status, 0) != pid_) return -1;
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace adarun::launcher::agent
