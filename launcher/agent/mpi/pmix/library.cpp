// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/library.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/tcp_record.h"

namespace adarun::launcher::agent::pmix {
namespace {

constexpr const char* file = "libpmix.so.2";

// hwloc plugins to leave out (libpmix uses hwloc): they would load X11, accelerator drivers, and an XML
// library although hwloc has its own reader. MPI needs only what the kernel and the PCI bus report.
constexpr const char* unwanted_parts =
    "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so,hwloc_xml_"
    "libxml.so";

template <typename Function>
void find(void* library, const char* name, Function& function) {
  void* const address = ::dlsym(library, name);
  if (address == nullptr)
    throw Error(std::string(file) + " has no " + name + ": wanted PMIx 4.2 or later",
                protocol::StartFailure::refused);
  function = reinterpret_cast<Function>(address);
}

}  // namespace

Library load_library() {
  ::setenv("HWLOC_PLUGINS_BLACKLIST", unwanted_parts, 0);  // NOLINT: one thread
  // RTLD_GLOBAL: libpmix loads plugins that need its symbols.
  void* const handle = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    throw Error(std::string("PMIx is not installed: ") + ::dlerror(),  // NOLINT: one thread
                protocol::StartFailure::refused);
  Library library{};
  find(handle, "PMIx_server_init", library.server_init);
  find(handle, "PMIx_server_finalize", library.server_finalize);
  find(handle, "PMIx_generate_regex", library.generate_regex);
  find(handle, "PMIx_generate_ppn", library.generate_ppn);
  find(handle, "PMIx_server_register_nspace", library.register_nspace);
  find(handle, "PMIx_server_register_client", library.register_client);
  find(handle, "PMIx_server_setup_fork", library.setup_fork);
  find(handle, "PMIx_server_dmodex_request", library.dmodex_request);
  find(handle, "PMIx_Error_string", library.error_string);
  find(handle, "PMIx_Info_load", library.info_load);
  return library;
}

}  // namespace adarun::launcher::agent::pmix

// libpmix listens on a loopback port that every user of the node can reach. It trusts the user id that a
// client claims, and blocks the thread that serves all ranks until the client has sent it. Symbols of the
// executable take precedence over those of the libraries it loads, so libpmix calls the accept() below.
//
// It is accept(2), but TCP connections of other users are closed unread and reported as EAGAIN, as if nobody
// had connected. After any other error, libpmix from 4.2.6 on closes the listening port.
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
