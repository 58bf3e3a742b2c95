// SPDX-License-Identifier: Apache-2.0
// libpmix listens on a port of the loopback interface, which every user of the node can reach, takes whoever
// connects for the user that he says he is, and waits on the thread of all ranks until he has said it. The
// program's own functions come before those of the libraries that it loads: so this is the accept() that
// libpmix calls.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.h"
#include "launcher/agent/mpi/pmix/peer_uid.h"

/// accept(2), but for connections over TCP that another user has made: they are closed unread, as though
/// nobody had come (EAGAIN): after any other error libpmix from 4.2.6 on closes the port itself.
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
