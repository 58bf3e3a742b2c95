// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/exec_again.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "base/unnamed_file.h"
#include "launcher/agent/base/error.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {
namespace {

constexpr const char* program = "/proc/self/exe";
// At most one read of the channel can be left unread in it.
constexpr std::size_t most_bytes = 1U << 20U;

std::vector<int> descriptors_of(const ExecState& handed_over) {
  std::vector<int> fds{handed_over.in, handed_over.out, handed_over.heartbeat};
  if (handed_over.bringer >= 0) fds.push_back(handed_over.bringer);
  return fds;
}

void set_descriptor_flags(int fd, int flags) {
  if (::fcntl(fd, F_SETFD, flags) != 0)
    throw Error("file descriptor " + std::to_string(fd) + ": " + base::system_text(errno));
}

}  // namespace

void exec_again(const ExecState& handed_over, const Environment& environment) {
  protocol::ArchiveWriter writer;
  writer(handed_over);
  const std::string bytes = writer.take();
  const base::FileDescriptor file = base::memory_file();
  if (!file || ::pwrite(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("a file for what is handed over: " + base::system_text(errno));
  set_descriptor_flags(file.get(), 0);
  for (const int fd : descriptors_of(handed_over)) set_descriptor_flags(fd, 0);
  std::string number = std::to_string(file.get());
  std::array<char*, 4> argv{const_cast<char*>("adarun-agent"), const_cast<char*>("--continue"),  // NOLINT
                            number.data(), nullptr};
  std::vector<std::string> assignments = environment.assignments();
  std::vector<char*> variables;
  variables.reserve(assignments.size() + 1);
  for (std::string& assignment : assignments) variables.push_back(assignment.data());
  variables.push_back(nullptr);
  ::execve(program, argv.data(), variables.data());
  throw Error(std::string(program) + ": " + base::system_text(errno));
}

ExecState take_over(int fd) {
  const base::FileDescriptor file(fd);
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > static_cast<off_t>(most_bytes))
    throw Error("--continue " + std::to_string(fd) + ": no file of an earlier agent");
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  if (::pread(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("--continue " + std::to_string(fd) + ": " + base::system_text(errno));
  ExecState result;
  protocol::ArchiveReader reader(bytes);
  reader(result);
  reader.expect_end();
  for (const int kept : descriptors_of(result)) set_descriptor_flags(kept, FD_CLOEXEC);
  return result;
}

}  // namespace adarun::launcher::agent
