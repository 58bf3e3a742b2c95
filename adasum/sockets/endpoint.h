// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "adasum/communicators/deadline.h"

namespace adasum::sockets {

/// What this machine, or container, calls itself.
inline std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Where a rank listens: a name or an address of its host, and a TCP port.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

/// "node1:29500", or "[fd00::2]:29500" for an address with colons.
std::string to_text(const Endpoint& endpoint);

/// The same, back. Throws adasum::Error that quotes `text`.
Endpoint parse_endpoint(std::string_view text);

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// The system's getaddrinfo(), or a test's.
using Lookup = int (*)(const char* host, const char* port, const addrinfo* hints, addrinfo** found);

/// The addresses of `endpoint` for TCP, at least one. `flags`: of getaddrinfo(). An empty host: all addresses
/// of this machine, with AI_PASSIVE. A resolver that does not answer before the deadline is left to a thread
/// of its own, as nothing can stop it. Throws adasum::Error with the system's word for it.
Addresses resolve(const Endpoint& endpoint, int flags, const Deadline& deadline,
                  Lookup lookup = ::getaddrinfo);

}  // namespace adasum::sockets
