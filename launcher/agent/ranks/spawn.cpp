// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/ranks/exec_error.h"

namespace adarun::launcher::agent {
namespace {

// Built before the fork: nothing may allocate between fork and exec.
struct Prepared {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<std::string> candidates;
  const char* workdir = nullptr;
  const ProcessSettings* settings = nullptr;
  std::vector<unsigned long> cpus;  // A mask in the kernel's format; empty: all.
  pid_t agent = 0;
  pid_t watchdog = 0;
  int in = -1;
  int out = -1;
  int err = -1;
  int report = -1;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));  // NOLINT: exec's type
  result.push_back(nullptr);
  return result;
}

constexpr winsize window_size{24, 120, 0, 0};

[[noreturn]] void refuse_terminal() {
  throw Error("a pseudo-terminal (/dev/ptmx): " + base::system_text(errno));
}

// A pseudo-terminal: a program that writes to it finds a terminal and so flushes its output line by line; the
// same bytes, unchanged, are read from the other end. It does not become a controlling terminal.
Pipe make_terminal() {
  Pipe terminal;
  terminal.read = base::FileDescriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!terminal.read || ::grantpt(terminal.read.get()) != 0 || ::unlockpt(terminal.read.get()) != 0)
    refuse_terminal();
  terminal.write =
      base::FileDescriptor(::ioctl(terminal.read.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!terminal.write || ::tcgetattr(terminal.write.get(), &settings) != 0) refuse_terminal();
  ::cfmakeraw(&settings);
  if (::tcsetattr(terminal.write.get(), TCSANOW, &settings) != 0) refuse_terminal();
  ::ioctl(terminal.read.get(), TIOCSWINSZ, &window_size);
  return terminal;
}

std::vector<unsigned long> mask_of(const std::vector<int>& cpus) {
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask(cpus.empty() ? 0 : static_cast<std::size_t>(cpus.back()) / bits + 1);
  for (const int cpu : cpus)
    mask[static_cast<std::size_t>(cpu) / bits] |= 1UL << static_cast<unsigned>(cpu) % bits;
  return mask;
}

[[noreturn]] void give_up(const Prepared& prepared, SpawnStep step, int error, std::uint8_t resource = 0) {
  const ExecError exec_error{step, error, resource};
  if (::write(prepared.report, &exec_error, sizeof exec_error) < 0) ::_exit(126);
  ::_exit(127);
}

// Libraries loaded into the agent may hold descriptors that are not close-on-exec.
void close_on_exec_from(unsigned first) {
  if (::close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  constexpr rlim_t many = 65'536;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned fd = first; fd < std::min(limit.rlim_cur, many); ++fd)
    ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
}

[[noreturn]] void execute(const Prepared& prepared) {
  const ExecError ready{SpawnStep::ready};
  if (::write(prepared.report, &ready, sizeof ready) < 0) ::_exit(126);
  int error = ENOENT;
  for (const std::string& candidate : prepared.candidates) {
    ::execve(candidate.c_str(), prepared.argv.data(), prepared.environment.data());
    if (errno == ENOENT || errno == ENOTDIR) continue;
    error = errno;
    if (error != EACCES) break;
  }
  give_up(prepared, SpawnStep::execute, error);
}

void apply_settings(const Prepared& prepared) {
  const ProcessSettings& settings = *prepared.settings;
  rlimit files{};
  if (::prlimit(prepared.watchdog, RLIMIT_NOFILE, nullptr, &files) == 0) ::setrlimit(RLIMIT_NOFILE, &files);
  if (settings.umask >= 0) ::umask(static_cast<mode_t>(settings.umask));
  if (!prepared.cpus.empty() &&
      ::syscall(SYS_sched_setaffinity, 0, prepared.cpus.size() * sizeof(unsigned long),
                prepared.cpus.data()) != 0)
    give_up(prepared, SpawnStep::bind, errno);
  for (const protocol::Limit& limit : settings.limits) {
    const rlimit value{limit.soft, limit.hard};
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &value) != 0)
      give_up(prepared, SpawnStep::limit, errno, limit.resource);
  }
}

[[noreturn]] void become(const Prepared& prepared) {
  ::setpgid(0, 0);
  take_priority_of(prepared.watchdog);
  end_with_parent(prepared.agent);
  [[maybe_unused]] const ssize_t moved = ::write(prepared.settings->cgroup.get(), "0", 1);
  reset_signals();
  for (const std::uint8_t number : prepared.settings->ignored) ::signal(number, SIG_IGN);
  if (::dup2(prepared.in, STDIN_FILENO) < 0 || ::dup2(prepared.out, STDOUT_FILENO) < 0 ||
      ::dup2(prepared.err, STDERR_FILENO) < 0)
    give_up(prepared, SpawnStep::set_up, errno);
  close_on_exec_from(STDERR_FILENO + 1);
  if (prepared.settings->inherited_fd >= 0) ::fcntl(prepared.settings->inherited_fd, F_SETFD, 0);
  apply_settings(prepared);
  if (prepared.workdir != nullptr && ::chdir(prepared.workdir) != 0)
    give_up(prepared, SpawnStep::workdir, errno);
  // What the agent has sent until now ends this process: after its report, where it has one, since a node
  // whose rank is told to end as another node's was refused its folder may refuse it, too.
  unblock_signals();
  execute(prepared);
}

// The ends of a program's stdin; without input there is none to write to.
Pipe make_stdin(bool has_input) {
  if (has_input) {
    Pipe pipe = make_pipe();
    set_nonblocking(pipe.write.get());
    return pipe;
  }
  Pipe null{base::FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)), {}};
  if (!null.read) throw Error("/dev/null: " + base::system_text(errno));
  return null;
}

}  // namespace

std::vector<std::string> candidates_of(const Program& program) {
  const std::string& name = program.argv.front();
  std::string_view path = program.path;
  if (name.find('/') != std::string::npos || name.empty()) return {name};
  std::vector<std::string> result;
  for (;;) {
    const std::size_t colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    result.push_back(folder.empty() ? "./" + name : folder + '/' + name);
    if (colon == std::string_view::npos) return result;
    path.remove_prefix(colon + 1);
  }
}

Child spawn(const Program& program, const ProcessSettings& settings) {
  Pipe out = program.out == protocol::Stdout::terminal ? make_terminal() : make_pipe();
  Pipe err = make_pipe();
  Pipe report = make_pipe();
  Pipe in = make_stdin(program.has_input);
  for (const base::FileDescriptor* fd : {&out.read, &err.read, &report.read}) set_nonblocking(fd->get());

  Prepared prepared;
  prepared.argv = pointers(program.argv);
  prepared.environment = pointers(program.environment);
  prepared.candidates = candidates_of(program);
  if (!program.workdir.empty()) prepared.workdir = program.workdir.c_str();
  prepared.settings = &settings;
  prepared.cpus = mask_of(settings.cpus);
  prepared.agent = ::getpid();
  prepared.watchdog = ::getppid();
  prepared.in = in.read.get();
  prepared.out = out.write.get();
  prepared.err = err.write.get();
  prepared.report = report.write.get();

  const pid_t pid = ::fork();
  if (pid < 0) throw Error("a process: " + base::system_text(errno));
  if (pid == 0) become(prepared);
  ::setpgid(pid, pid);  // The child does the same; the second call changes nothing.
  return {pid, std::move(in.write), std::move(out.read), std::move(err.read), std::move(report.read)};
}

}  // namespace adarun::launcher::agent
