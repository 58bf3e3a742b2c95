// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/worker.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <limits>
#include <string>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/pipe.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {
namespace {

constexpr int most_descriptors = 65'536;

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void close_range_of(int first, int last) {
  if (first > last) return;
  if (::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0) == 0) return;
  for (int fd = first; fd <= std::min(last, most_descriptors); ++fd)
    ::close(fd);  // A kernel before Linux 5.9.
}

// Closes all descriptors above stderr but these two.
void keep_only(int a, int b) {
  const int low = std::min(a, b);
  const int high = std::max(a, b);
  close_range_of(STDERR_FILENO + 1, low - 1);
  close_range_of(std::max(STDERR_FILENO, low) + 1, high - 1);
  close_range_of(high + 1, std::numeric_limits<int>::max());
}

protocol::Answer answer_of(const std::function<protocol::Answer()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    protocol::Answer failed;
    failed.outcome = protocol::Outcome::failed;
    failed.reason = error.what();
    return failed;
  }
}

}  // namespace

Worker fork_worker(const std::function<protocol::Answer()>& work, int kept) {
  Pipe pipe = make_pipe();
  set_nonblocking(pipe.read.get());
  const pid_t agent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Error("a process: " + base::system_text(errno));
  if (pid > 0) {
    ::setpgid(pid, pid);  // The child does the same; the second call changes nothing.
    return {pid, std::move(pipe.read)};
  }
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != agent) ::_exit(1);
  reset_signals();
  keep_only(pipe.write.get(), kept);
  try {
    const std::string frame = protocol::encode(answer_of(work));
    const ssize_t written = ::write(pipe.write.get(), frame.data(), frame.size());
    ::_exit(written == static_cast<ssize_t>(frame.size()) ? 0 : 1);
  } catch (...) {
    ::_exit(1);
  }
}

}  // namespace adarun::launcher::agent
