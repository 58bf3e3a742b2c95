// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/reconnection.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "base/unix_socket.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/connection/kept_output.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/defaults.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher::agent {
namespace {

using Pair = std::array<int, 2>;

// A message of one byte, with room for two descriptors (SCM_RIGHTS).
struct Parcel {
  char byte = 'r';
  iovec content{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Pair))> control{};
  msghdr message{};

  Parcel() {
    message.msg_iov = &content;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
};

bool give(int socket, const Pair& descriptors) {
  Parcel parcel;
  cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), &descriptors, sizeof descriptors);
  return ::sendmsg(socket, &parcel.message, MSG_NOSIGNAL) == 1;
}

// The two descriptors; nothing if the message carries anything else.
std::optional<Pair> take(const Parcel& parcel) {
  const cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(Pair)))
    return std::nullopt;
  Pair descriptors{};
  std::memcpy(&descriptors, CMSG_DATA(header), sizeof descriptors);
  return descriptors;
}

// Only a socket that nobody listens at any more shows that the agent has ended: its folder may have been
// removed, or not be the one that we see.
void say_not_met(int error) {
  const bool gone = error == ECONNREFUSED;
  const protocol::Failed failed{protocol::StartFailure::could_not_start,
                                "its agent is not met: " + base::system_text(error)};
  const std::string words =
      std::string(protocol::magic) + (gone ? protocol::encode(protocol::Done{}) : protocol::encode(failed));
  if (::write(STDOUT_FILENO, words.data(), words.size()) < 0) std::perror("adarun-agent");
}

}  // namespace

ReconnectSocket::ReconnectSocket(const std::string& path) : path_(path), listening_(base::listen_at(path)) {
  if (!listening_) throw Error("socket \"" + path + "\": " + base::system_text(errno));
}

std::vector<std::string> ReconnectSocket::command() const {
  std::array<char, 4096> program{};
  if (::readlink("/proc/self/exe", program.data(), program.size() - 1) < 0)
    throw Error("/proc/self/exe: " + base::system_text(errno));
  // Another launch may have replaced the program file with an identical one.
  constexpr std::string_view replaced = " (deleted)";
  std::string_view name = program.data();
  if (name.ends_with(replaced)) name.remove_suffix(replaced.size());
  return {std::string(name), "--resume", path_};
}

std::optional<Connection> ReconnectSocket::accept() {
  if (auto connection = receive()) return connection;
  if (base::FileDescriptor next = base::accept_own(listening_.get())) bringer_ = std::move(next);
  return receive();
}

std::optional<Connection> ReconnectSocket::receive() {
  if (!bringer_) return std::nullopt;
  Parcel parcel;
  const ssize_t size = ::recvmsg(bringer_.get(), &parcel.message, MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  Connection connection;
  connection.bringer = std::move(bringer_);
  bringer_.reset();
  const auto descriptors = size == 1 ? take(parcel) : std::nullopt;
  if (!descriptors) return std::nullopt;
  connection.in = base::FileDescriptor((*descriptors)[0]);
  connection.out = base::FileDescriptor((*descriptors)[1]);
  return connection;
}

bool can_be_met(const std::string& scratch) {
  const std::size_t name_begin = scratch.rfind('/') + 1;
  const std::string folder_path = name_begin == 0 ? "." : scratch.substr(0, name_begin);
  const std::string name = scratch.substr(name_begin);
  const base::Directory folder(::opendir(folder_path.c_str()));
  while (const dirent* entry =
             folder ? ::readdir(folder.get()) : nullptr) {  // NOLINT: this DIR is ours alone
    const std::string_view found = entry->d_name;
    if (found != name && !found.starts_with(name + '-')) continue;
    const std::string path = folder_path + '/' + std::string(found);
    struct stat facts {};  // Ignore anything another user has put there.
    if (::lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid())
      continue;
    // EAGAIN: the agent is busy and its listen queue is full.
    if (base::connect_to(path + '/' + ReconnectSocket::socket_name, base::Wait::no) || errno == EAGAIN)
      return true;
  }
  return false;
}

int bring_connection(const std::string& path) {
  const base::FileDescriptor socket = base::connect_to(path);
  if (!socket || !give(socket.get(), {STDIN_FILENO, STDOUT_FILENO})) {
    say_not_met(errno);
    return 1;
  }
  ::close(STDOUT_FILENO);
  // The agent sends nothing here. poll() returns when it closes the socket, or when the session of stdin
  // ends.
  std::array<pollfd, 2> polled{{{socket.get(), POLLIN, 0}, {STDIN_FILENO, 0, 0}}};
  while (::poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) {
  }
  return 0;
}

void Reconnection::offer(const protocol::Start& start, std::chrono::milliseconds lease) {
  socket_.emplace(start.scratch + '/' + ReconnectSocket::socket_name);
  remove_old_spools();
  spool_file_ = spool_path(start.job_id, start.node);
  channel_.keep_for_resume(spool_file_, silence_of_cut(lease));
  channel_.send(protocol::Rendezvous{socket_->command()});
}

void Reconnection::watch(Poll& poll) {
  if (!socket_) return;
  poll.watch(socket_->fd(), POLLIN, [this] { accept(); });
  poll.watch(socket_->bringer_fd(), POLLIN, [this] { accept(); });
}

void Reconnection::accept() {
  auto connection = socket_->accept();
  if (!connection) return;
  const std::string silent = milliseconds_since(channel_.heard());
  channel_.resume(std::move(*connection));
  on_resume_();
  diagnostics_.debug("another connection, after " + silent + " without a word");
}

void Reconnection::remove_spool_file() const {
  remove_spool(spool_file_);
}

void Reconnection::keep_undelivered() {
  if (!socket_) return;
  try {
    channel_.keep();
  } catch (const protocol::Error& error) {
    std::fprintf(stderr, "adarun-agent: output is lost: %s\n", error.what());
  }
}

}  // namespace adarun::launcher::agent
