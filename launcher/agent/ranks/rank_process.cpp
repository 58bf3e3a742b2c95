// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/rank_process.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/read_text.h"
#include "base/wall_clock.h"
#include "launcher/agent/ranks/descendants.h"
#include "launcher/agent/ranks/exec_error.h"

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

// Where the core of a process is by the settings of this machine; "by the pattern PATTERN" if no such file
// exists.
std::string core_of(pid_t pid, int signal, const Program& program) {
  std::array<char, PATH_MAX> here{};
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string workdir = program.workdir;
  if (workdir.empty() && ::getcwd(here.data(), here.size()) != nullptr) workdir = here.data();
  const std::string pattern = first_line(base::read_text("/proc/sys/kernel/core_pattern"));
  const bool uses_pid = first_line(base::read_text("/proc/sys/kernel/core_uses_pid")) == "1";
  const std::string path =
      core_file(pattern, uses_pid, {pid, signal, program.argv.front(), workdir, host.data()});
  const bool is_sure = path.find('*') == std::string::npos && path.starts_with('/');
  // The process may have changed its working directory.
  return is_sure && ::access(path.c_str(), F_OK) != 0 ? "by the pattern " + pattern : path;
}

bool has_bytes(const base::FileDescriptor& output) {
  pollfd polled{output.get(), POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLIN) != 0;
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

int RankProcess::output_fd(protocol::Stream stream) const {
  if (child_.report) return -1;
  return (stream == protocol::Stream::out ? child_.out : child_.err).get();
}

std::optional<protocol::Message> RankProcess::read_report(Clock::time_point now) {
  if (!child_.report) return std::nullopt;
  const std::optional<ExecError> exec_error = take_exec_error(child_.report, ready_);
  if (child_.report) return std::nullopt;
  failed_ = exec_error.has_value();
  if (!failed_ && not_executed_ && !has_run()) ready_ = false;
  if (!failed_ && !ready_) return std::nullopt;
  if (failed_ && start_.again) {
    batcher_.add(protocol::Stream::err, explain("", start_.program, *exec_error).message + "\n", now);
    return std::nullopt;
  }
  if (failed_) return explain("rank " + std::to_string(start_.number) + ": ", start_.program, *exec_error);
  return protocol::Started{start_.number, static_cast<std::uint32_t>(pid()), base::now_ns(),
                           start_.program.environment, start_.cpus};
}

// The report is closed by the execution of the program, and by an end before that, which is by a signal.
bool RankProcess::has_run() const {
  const bool by_itself = exited_ ? exited_->signal == 0 : !is_ending(pid()) || has_executed(pid());
  return by_itself || has_bytes(child_.out) || has_bytes(child_.err);
}

// Only one read: after it has emptied a terminal, another would wait for the kernel to refill it.
bool RankProcess::read_output(protocol::Stream stream, Clock::time_point now) {
  const int fd = output_fd(stream);
  if (fd < 0) return false;
  std::array<char, read_bytes> bytes;  // NOLINT: filled by read
  const ssize_t size = ::read(fd, bytes.data(), bytes.size());
  if (size > 0) {
    batcher_.add(stream, {bytes.data(), static_cast<std::size_t>(size)}, now);
    return true;
  }
  if (size == 0 || (errno != EAGAIN && errno != EINTR)) {  // A terminal that no process holds open gives EIO.
    (stream == protocol::Stream::out ? child_.out : child_.err).reset();
    batcher_.finish();
  }
  return false;
}

void RankProcess::note_if_ending() {
  was_ending_ = is_ending(pid());
  not_executed_ = report_fd() >= 0;
}

void RankProcess::reaped(int status, bool stopped_by_us, Clock::time_point now) {
  protocol::Exited exited;
  exited.rank = start_.number;
  if (WIFSIGNALED(status)) {
    exited.signal = WTERMSIG(status);
    exited.core_dumped = WCOREDUMP(status);
    if (exited.core_dumped) exited.core = core_of(pid(), exited.signal, start_.program);
    if (exited.signal == SIGKILL) exited.out_of_memory = memory_.verdict();
  } else {
    exited.code = WEXITSTATUS(status);
  }
  exited.stopped_by_us = stopped_by_us && !was_ending_;
  exited.time_ns = base::now_ns();
  exited_ = exited;
  input_.close();
  reaped_at_ = now;
}

std::optional<Clock::time_point> RankProcess::output_deadline() const {
  if (over_ || !exited_ || (!child_.out && !child_.err)) return std::nullopt;
  return reaped_at_ + linger;
}

void RankProcess::close_output() {
  child_.out.reset();
  child_.err.reset();
  batcher_.finish();
}

std::optional<protocol::Exited> RankProcess::finish() {
  if (over_ || !exited_ || child_.report) return std::nullopt;
  const bool never_ran = failed_ || (!ready_ && exited_->stopped_by_us);
  if (never_ran) close_output();
  if (child_.out || child_.err || !batcher_.empty()) return std::nullopt;
  over_ = true;
  return never_ran && !start_.again ? std::nullopt : exited_;
}

}  // namespace adarun::launcher::agent
