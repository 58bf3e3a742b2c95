// SPDX-License-Identifier: Apache-2.0
// libpmix listens on a loopback port that every user of the node can reach. It trusts the user id that a
// client claims, and blocks the thread that serves all ranks until the client has sent it. Symbols of the
// executable take precedence over those of the libraries it loads, so libpmix calls the accept() below.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.h"
#include "launcher/agent/mpi/pmix/peer_uid.h"

/// accept(2), but TCP connections of other users are closed unread and reported as EAGAIN, as if nobody had
/// connected. After any other error, libpmix from 4.2.6 on closes the listening port.
extern "C" __attribute__((visibility("default"))) int accept(int socket, sockaddr* address, socklen_t* size) {
  adarun::base::FileDescriptor connection(::accept4(socket, address, size, 0));
  if (!connection) return -1;
  int domain = AF_UNSPEC;
  socklen_t domain_size = sizeof domain;
  ::getsockopt(connection.get(), SOL_SOCKET, SO_DOMAIN, &domain, &domain_size);
  const bool over_tcp = domain == AF_INET || domain == AF_INET6;
  if (!over_tcp || adarun::launcher::agent::peer_uid(connection.get()) == ::geteuid())
    return connection.release();
  connection.reset();
  errno = EAGAIN;
  return -1;
}
