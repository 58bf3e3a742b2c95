// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>

#include <memory>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/endpoint.h"

namespace adasum::sockets {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// The system's getaddrinfo(), or a test's.
using Lookup = int (*)(const char* host, const char* port, const addrinfo* hints, addrinfo** found);

/// The addresses of `endpoint` for TCP, at least one. `flags`: of getaddrinfo(). An empty host: all addresses
/// of this machine, with AI_PASSIVE. A resolver that does not answer before the deadline is left to a thread
/// of its own, as nothing can stop it. Throws adasum::Error with the system's word for it.
Addresses resolve(const Endpoint& endpoint, int flags, const Deadline& deadline,
                  Lookup lookup = ::getaddrinfo);

}  // namespace adasum::sockets
