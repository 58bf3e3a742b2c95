// SPDX-License-Identifier: Apache-2.0
#include "base/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace adarun::base {
namespace {

constexpr int connect_timeout_s = 5;

// A socket address has room for about a hundred bytes, so the folder is opened and named by its descriptor.
struct UnixAddress {
  explicit UnixAddress(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder_path = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    folder = FileDescriptor(::open(folder_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return;
    short_path = "/proc/self/fd/" + std::to_string(folder.get()) + '/' + name;
    address.sun_family = AF_UNIX;
    if (short_path.size() >= sizeof address.sun_path) {
      folder.reset();
      errno = ENAMETOOLONG;
      return;
    }
    std::memcpy(address.sun_path, short_path.c_str(), short_path.size() + 1);
  }

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&address); }

  FileDescriptor folder;
  std::string short_path;
  sockaddr_un address{};
};

// How long connect() and send() wait; 0: without limit.
void limit_sending(int socket, int seconds) {
  const timeval limit{seconds, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Whether the peer runs as our user, according to the kernel.
bool is_of_our_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

FileDescriptor listen_at(const std::string& path) {
  const UnixAddress place(path);
  if (!place.folder) return {};
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return {};
  ::unlink(place.short_path.c_str());
  // Set before listen(), so that nobody can connect while the mode is wider.
  if (::bind(socket.get(), place.raw(), sizeof place.address) != 0 ||
      ::chmod(place.short_path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(socket.get(), SOMAXCONN) != 0)
    return {};
  return socket;
}

FileDescriptor accept_own(int listening) {
  FileDescriptor connection(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  return connection && is_of_our_user(connection.get()) ? std::move(connection) : FileDescriptor();
}

FileDescriptor connect_to(const std::string& path, Wait wait) {
  const UnixAddress place(path);
  if (!place.folder) return {};
  const int kind = SOCK_STREAM | SOCK_CLOEXEC | (wait == Wait::no ? SOCK_NONBLOCK : 0);
  FileDescriptor socket(::socket(AF_UNIX, kind, 0));
  if (!socket) return {};
  limit_sending(socket.get(), connect_timeout_s);
  if (::connect(socket.get(), place.raw(), sizeof place.address) != 0) return {};
  limit_sending(socket.get(), 0);
  if (is_of_our_user(socket.get())) return socket;
  errno = EPERM;
  return {};
}

}  // namespace adarun::base
