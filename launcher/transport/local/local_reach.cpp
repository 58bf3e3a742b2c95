// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/local/local_reach.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/build_facts.h"
#include "base/system_text.h"
#include "base/unnamed_file.h"
#include "launcher/base/error.h"
#include "launcher/transport/reach/agent_source.h"
#include "launcher/transport/reach/upload_link.h"

namespace adarun::launcher {
namespace {

constexpr off_t most_words = 1000;    // The end of stderr, for status_text().
constexpr off_t most_kept = 256'000;  // Of stderr, before the older part is dropped.

pid_t spawn(const std::vector<std::string>& argv, int socket, int words) {
  std::vector<char*> raw;
  for (const std::string& argument : argv) raw.push_back(const_cast<char*>(argument.c_str()));  // NOLINT
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  if (words >= 0) posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error = posix_spawnp(&child, raw[0], &actions, &attributes, raw.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(argv[0] + ": cannot start it: " + base::system_text(error));
  return child;
}

// How the program has exited; si_pid is 0 if it has not.
siginfo_t exit_of(pid_t child) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) info.si_pid = 0;
  return info;
}

constexpr const char* loopback = "127.0.0.1";

class LocalReach : public Reach {
 public:
  std::string name() const override { return "local"; }
  bool is_local() const override { return true; }
  std::string text(const ReachOptions& /*options*/) const override { return ""; }
  std::string text_of(const Host& /*host*/, const HostPlace& /*place*/,
                      const ReachOptions& /*options*/) const override {
    return "on this machine";
  }

  Targets locate(const std::vector<Host>& hosts, const ReachOptions& /*options*/,
                 Unknown /*unknown*/) const override {
    return {std::vector<std::string>(hosts.size(), loopback),
            std::vector<HostPlace>(hosts.size(), {"", 0, loopback, "", {}, {}})};
  }

  std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& /*targets*/,
                              const ReachOptions& options, const base::FileLimit& files) const override {
    const std::string agent = agent_path(options.agent);
    // A portable adarun has its agents inside: what lies beside it may be of anybody, and of any version.
    const bool is_here = !options.agent.empty() || !base::is_portable();
    const auto source = is_here ? nullptr : std::make_shared<const AgentSource>(agent_source(""));
    const std::vector<std::string> command = is_here ? std::vector{agent} : agent_command(*source);
    std::vector<NodeLink> links;
    for (const Host& host : hosts) {
      std::unique_ptr<Link> link = std::make_unique<PipeLink>(command, PipeLink::Stderr::ours, files);
      if (!is_here) link = std::make_unique<UploadLink>(std::move(link), source);
      links.push_back({host.name, std::move(link)});
    }
    return links;
  }
};

}  // namespace

PipeLink::PipeLink(const std::vector<std::string>& argv, Stderr where, const base::FileLimit& files) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error("cannot make a socket pair: " + base::system_text(errno));
  socket_ = base::FileDescriptor(ends[0]);
  const base::FileDescriptor theirs(ends[1]);
  if (where == Stderr::kept) words_ = base::memory_file();
  if (where == Stderr::kept && words_.get() < 0)
    throw Error("cannot keep what " + argv[0] + " says: " + base::system_text(errno));
  child_ = spawn(argv, theirs.get(), words_.get());
  files.give_back(child_);  // Early enough: no rank is started before a Start message.
}

short PipeLink::wanted() const {
  return static_cast<short>(blocked_ ? POLLIN | POLLOUT : POLLIN);
}

std::size_t PipeLink::read(std::span<char> buffer) {
  forget_old_words();
  const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size > 0) return static_cast<std::size_t>(size);
  if (size == 0 || errno == ECONNRESET) ended_ = true;
  return 0;
}

std::size_t PipeLink::write(std::string_view bytes) {
  forget_old_words();
  const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  blocked_ = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

std::string PipeLink::status_text() {
  const siginfo_t info = exit_of(child_);
  const std::string words = kept_words();
  if (info.si_pid == 0 || !words.empty()) return words;
  return (info.si_code == CLD_EXITED ? "exit status " : "killed by signal ") + std::to_string(info.si_status);
}

off_t PipeLink::said() const {
  return lseek(words_.get(), 0, SEEK_CUR);  // The program shares this offset: the end of what it wrote.
}

// Frees the pages but keeps the offset, so the program writes on at the same place.
void PipeLink::forget_old_words() {
  if (words_.get() < 0 || said() - forgotten_ < most_kept) return;
  forgotten_ = said() - most_words;
  fallocate(words_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, forgotten_);
}

std::string PipeLink::kept_words() const {
  if (words_.get() < 0) return {};
  const off_t size = said();
  std::string words(static_cast<std::size_t>(std::clamp<off_t>(size, 0, most_words)), '\0');
  const ssize_t read = pread(words_.get(), words.data(), words.size(), std::max<off_t>(0, size - most_words));
  words.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  return words;
}

bool PipeLink::has_exited() const {
  return exit_of(child_).si_pid != 0;
}

void PipeLink::signal(int number) const {
  kill(-child_, number);
}

bool PipeLink::close() {
  socket_.reset();
  return waitpid(child_, nullptr, WNOHANG) != 0;
}

std::shared_ptr<const Reach> local_reach() {
  return std::make_shared<const LocalReach>();
}

}  // namespace adarun::launcher
