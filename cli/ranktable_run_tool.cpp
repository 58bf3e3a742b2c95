// SPDX-License-Identifier: Apache-2.0
#include "cli/ranktable_run_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_output_bytes = std::size_t{64} * 1024;

[[noreturn]] void fail(const std::string& program, const std::string& what) {
  throw std::runtime_error(program + ": " + what);
}

// The reading end of a pipe and the process that writes to it. Kills its process group and reaps it at the
// end.
class Tool {
 public:
  Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    if (output_ >= 0) ::close(output_);
  }

  // 0, or the errno of what failed.
  int start(const std::string& program, const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    output_ = ends[0];
    const int error = spawn(program, arguments, ends[1]);
    ::close(ends[1]);
    return error;
  }

  int output() const { return output_; }

 private:
  int spawn(const std::string& program, const std::vector<std::string>& arguments, int writing_end) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, writing_end, 1);
    ::posix_spawn_file_actions_adddup2(&actions, writing_end, 2);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
    if (error == 0) pid_ = pid;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  pid_t pid_ = 0;
  int output_ = -1;
};

// Waits for bytes or the end of the output; false when the deadline comes first.
bool wait_for_output(int descriptor, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waited{descriptor, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&waited, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

}  // namespace

std::optional<std::string> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                                    std::chrono::milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  Tool tool;
  const int error = tool.start(program, arguments);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) fail(program, std::strerror(error));
  std::string text;
  std::array<char, 4096> block{};
  while (wait_for_output(tool.output(), end)) {
    const ssize_t count = ::read(tool.output(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(program, std::strerror(errno));
    if (count == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > max_output_bytes) fail(program, "wrote more than 64 KiB");
  }
  fail(program, "has not ended within " + std::to_string(deadline.count()) + " ms");
}

}  // namespace adarun::cli
