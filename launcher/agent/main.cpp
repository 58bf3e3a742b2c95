// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include "base/blake2b.h"
#include "base/build_facts.h"
#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "launcher/agent/agent.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/connection/reconnection.h"
#include "launcher/agent/exec_again.h"
#include "launcher/agent/watchdog/watchdog.h"

namespace adarun::launcher::agent {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_failed = 3;

// Moves a stream of the launcher to a close-on-exec descriptor above stderr and puts /dev/null in its place.
base::FileDescriptor move_away(int fd) {
  base::FileDescriptor moved(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved) throw Error("file descriptor " + std::to_string(fd) + ": " + base::system_text(errno));
  const base::FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null || ::dup2(null.get(), fd) < 0) throw Error("/dev/null: " + base::system_text(errno));
  return moved;
}

// If stderr is closed, opens /dev/null there: otherwise another descriptor could get its number.
void open_stderr() {
  if (::fcntl(STDERR_FILENO, F_GETFD) >= 0) return;
  const int null = ::open("/dev/null", O_WRONLY);
  if (null < 0 || null == STDERR_FILENO) return;
  ::dup2(null, STDERR_FILENO);
  ::close(null);
}

// Continues as the agent whose process this was.
int proceed(const ExecState& handed_over) {
  Connection connection{base::FileDescriptor(handed_over.in), base::FileDescriptor(handed_over.out),
                        base::FileDescriptor(handed_over.bringer)};
  return Agent(Channel(std::move(connection), handed_over.stream), Environment::inherited(environ),
               HeartbeatPipe(base::FileDescriptor(handed_over.heartbeat)), handed_over.note)
      .run();
}

int run(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc == 2 && option == "--version") {
    std::puts(base::text("adarun-agent").c_str());
    return 0;
  }
  if (argc == 2 && option == "--hash") {
    std::puts(base::hash_of("/proc/self/exe").c_str());
    return 0;
  }
  if (argc == 3 && option == "--resume") return bring_connection(argv[2]);
  if (argc == 3 && option == "--continue") return proceed(take_over(std::atoi(argv[2])));
  const bool has_note = argc == 3 && option == "--note";
  if ((argc > 1 && !has_note) || ::isatty(STDIN_FILENO) != 0) {  // srun gives a raw terminal as stdout.
    std::fputs(
        "adarun-agent: is started by adarun on each node of a job, and talks to it; see adarun launch "
        "--help\n",
        stderr);
    return exit_usage;
  }
  open_stderr();
  ::setsid();  // The end of the SSH session must not end us; most sshds have called setsid already.
  Connection connection{move_away(STDIN_FILENO), move_away(STDOUT_FILENO), {}};
  Pipe heartbeat_pipe = make_pipe();
  const pid_t watchdog = ::getpid();
  const pid_t agent = ::fork();
  if (agent < 0) throw Error("a process: " + base::system_text(errno));
  if (agent > 0) {
    heartbeat_pipe.write.reset();
    return Watchdog(agent, std::move(heartbeat_pipe.read), std::move(connection)).run();
  }
  end_with_parent(watchdog, SIGTERM);
  heartbeat_pipe.read.reset();
  const Environment environment = Environment::inherited(environ);
  environment.install();  // The PMIx server reads PMIX_* itself.
  return Agent(Channel(std::move(connection)), environment, HeartbeatPipe(std::move(heartbeat_pipe.write)),
               has_note ? argv[2] : "")
      .run();
}

}  // namespace
}  // namespace adarun::launcher::agent

int main(int argc, char** argv) {
  try {
    return adarun::launcher::agent::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "adarun-agent: %s\n", error.what());
    return adarun::launcher::agent::exit_failed;
  }
}
