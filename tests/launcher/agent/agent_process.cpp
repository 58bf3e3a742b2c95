// SPDX-License-Identifier: Apache-2.0
#include "tests/launcher/agent/agent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "base/process.h"
#include "base/read_text.h"

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
  int status = 0;
  if (!await_end(pid_) || ::waitpid(pid_, &status, 0) != pid_) return -1;
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

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
  const bool in_time = ::poll(&ended, 1, milliseconds_until(Clock::now() + timeout)) > 0;
  ::close(pidfd);
  return in_time;
}

pid_t pid_in(const std::string& output, const std::string& name) {
  const std::size_t at = output.find(name + '=');
  return at == std::string::npos ? 0 : std::atoi(output.c_str() + at + name.size() + 1);
}

std::string place_of_groups() {
  const auto own =
      base::cgroup_folder(base::read_text("/proc/self/mountinfo"), base::read_text("/proc/self/cgroup"));
  return own && ::access(own->c_str(), W_OK) == 0 ? *own : "";
}

bool has_group_of(const std::string& job_id) {
  const std::string begin = "adarun-" + job_id + "-0.";
  std::error_code none;
  for (const auto& group : std::filesystem::directory_iterator(place_of_groups(), none))
    if (group.path().filename().string().starts_with(begin)) return true;
  return false;
}

}  // namespace adarun::launcher::agent
