// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/watchdog/watchdog.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/read_text.h"
#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/files/folder.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/ranks/termination.h"
#include "launcher/protocol/defaults.h"

namespace adarun::launcher::agent {
namespace {

constexpr int beats_per_timeout = 20;

constexpr std::chrono::milliseconds between_kills{20};

std::string folder_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

RunState run_state(pid_t pid) {
  const std::string stat = base::read_text(folder_of(pid) + "/stat");
  const std::size_t name_end = stat.rfind(") ");
  const bool is_known = name_end != std::string::npos && name_end + 2 < stat.size();
  return {is_known ? stat[name_end + 2] : '?',
          std::strtoull(base::read_text(folder_of(pid) + "/schedstat").c_str(), nullptr, 10)};
}

// What keeps a process from responding, in parentheses.
std::string describe(const RunState& state, pid_t pid) {
  if (state.letter == 'T' || state.letter == 't') return " (it was stopped)";
  if (state.letter == 'R') return " (it is running)";
  const std::string where = base::read_text(folder_of(pid) + "/wchan");
  return " (it is waiting in the kernel" + (where.empty() || where == "0" ? "" : ": " + where) + ")";
}

}  // namespace

bool is_hung(const RunState& agent, std::uint64_t ran_at_beat_ns, Clock::duration silence,
             std::chrono::milliseconds starved_timeout) {
  const std::chrono::nanoseconds ran(agent.ran_ns - ran_at_beat_ns);
  const bool starved = agent.letter == 'R' && ran < silence / 4;
  return !starved || silence >= starved_timeout;
}

HeartbeatPipe::HeartbeatPipe(base::FileDescriptor pipe) : pipe_(std::move(pipe)) {
  set_nonblocking(pipe_.get());
}

void HeartbeatPipe::beat(Clock::time_point now, std::chrono::milliseconds timeout,
                         std::chrono::milliseconds starved) {
  if (now < next_ && timeout == timeout_) return;
  timeout_ = timeout;
  next_ = now + timeout / beats_per_timeout;
  say("beat " + std::to_string(timeout.count()) + ' ' + std::to_string(starved.count()));
}

void HeartbeatPipe::cut() {
  if (!has_said_cut_) has_said_cut_ = say("cut");
}

void HeartbeatPipe::add_folder(const std::string& folder) {
  say("folder " + folder);
}

void HeartbeatPipe::add_group(const std::string& path) {
  say("group " + path);
}

// If the watchdog is far behind or gone, a line is lost; nothing can be done about it.
bool HeartbeatPipe::say(const std::string& line) {
  const std::string text = line + '\n';
  return ::write(pipe_.get(), text.data(), text.size()) >= 0;
}

Watchdog::Watchdog(pid_t agent, base::FileDescriptor heartbeat_pipe, Connection first)
    : agent_(agent),
      heartbeat_(std::move(heartbeat_pipe)),
      first_(std::move(first)),
      timeout_(start_timeout),
      starved_timeout_(start_timeout) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw Error("child subreaper: " + base::system_text(errno));
}

int Watchdog::run() {
  expect_beat_in(timeout_);
  while (look_after()) {
  }
  int status = 0;
  ::waitpid(agent_, &status, 0);
  end_orphans();
  for (const std::string& folder : folders_) Folder::adopt(folder);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const std::string how =
      killed_as_ ? "it did not respond for " + std::to_string(timeout_.count()) + " ms" + *killed_as_
                 : std::string("it was killed: ") + ::strsignal(WTERMSIG(status));
  std::fprintf(stderr, "adarun-agent: %s; %s\n", how.c_str(), all_is_ended.data());
  return 128 + WTERMSIG(status);
}

// False once the agent has ended.
bool Watchdog::look_after() {
  std::array<pollfd, 2> polled{{{heartbeat_.get(), POLLIN, 0}, {signals_.fd(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - Clock::now());
  const auto longest = std::int64_t{std::numeric_limits<int>::max()};
  ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, longest)));
  pass_signals_on();
  if (polled[0].revents != 0) return listen();
  if (Clock::now() >= due_) miss_beat();
  return true;
}

// Its ranks are killed with it: an agent that waits in the kernel, as for a disk, does not end even when
// killed.
void Watchdog::miss_beat() {
  const RunState agent = run_state(agent_);
  const bool was_late = std::exchange(is_late_, true);
  if (was_late && is_hung(agent, ran_at_beat_ns_, Clock::now() - heard_at_, starved_timeout_)) {
    if (!killed_as_) killed_as_ = describe(agent, agent_);
    ::kill(agent_, SIGKILL);
    kill_all();
  }
  expect_beat_in(second_look);
}

void Watchdog::expect_beat_in(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365);
  due_ = Clock::now() + std::min(time, longest);
}

bool Watchdog::listen() {
  std::array<char, 4096> bytes{};
  const ssize_t size = ::read(heartbeat_.get(), bytes.data(), bytes.size());
  if (size <= 0) return false;
  is_late_ = false;
  ran_at_beat_ns_ = run_state(agent_).ran_ns;
  heard_at_ = Clock::now();
  heard_.append(bytes.data(), static_cast<std::size_t>(size));
  for (std::size_t end = 0; (end = heard_.find('\n')) != std::string::npos; heard_.erase(0, end + 1))
    hear(heard_.substr(0, end));
  expect_beat_in(timeout_);
  return true;
}

void Watchdog::hear(const std::string& line) {
  const std::size_t space = line.find(' ');
  if (line.starts_with("beat ")) {
    char* next = nullptr;
    timeout_ = std::chrono::milliseconds(std::strtol(line.c_str() + space, &next, 10));
    starved_timeout_ = std::chrono::milliseconds(std::strtol(next, nullptr, 10));
  }
  if (line == "cut") first_ = {};
  if (line.starts_with("folder ")) folders_.push_back(line.substr(space + 1));
  if (line.starts_with("group ")) groups_.push_back(Cgroup::adopt(line.substr(space + 1)));
}

void Watchdog::pass_signals_on() {
  while (const auto number = signals_.next())
    if (*number != SIGCHLD) ::kill(agent_, *number);
}

// Processes that fork faster than they are found are killed by their control group.
void Watchdog::kill_all() {
  for (const Cgroup& group : groups_) group.kill();
  signal_tree(SIGKILL, {});
}

// Processes that the agent left are now our children: we are the subreaper above it.
void Watchdog::end_orphans() {
  const Clock::time_point deadline = Clock::now() + Termination::timeout;
  while (reap() && Clock::now() < deadline) {
    kill_all();
    ::poll(nullptr, 0, static_cast<int>(between_kills.count()));
  }
}

// Reaps a bounded number of ended processes, so that the others are soon killed again; false once there is no
// child left.
bool Watchdog::reap() {
  constexpr int most = 1000;
  pid_t pid = 0;
  for (int i = 0; i < most && (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0; ++i) {
  }
  return pid >= 0;
}

}  // namespace adarun::launcher::agent
