// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// How long one call on a connection waits, in either direction.
inline constexpr std::chrono::seconds tcp_timeout{2};

/// A socket that listens at `address`, IPv4 or IPv6 as text, on a free port. Throws agent::Error.
base::FileDescriptor listen_on(const std::string& address);

/// The port that a listening socket has.
std::uint16_t port_of(const base::FileDescriptor& listening);

/// The next connection, which waits `tcp_timeout` in each call, without delay of small messages; -1 if there
/// is none now.
base::FileDescriptor accept_from(const base::FileDescriptor& listening);

/// A connection of the same kind. Throws agent::Error.
base::FileDescriptor connect_to(const std::string& address, std::uint16_t port);

/// Throws agent::Error if not all could be sent.
void send_all(const base::FileDescriptor& connection, std::string_view bytes);

/// Fills `bytes`. Throws agent::Error if the other side closes before, or is silent.
void receive_all(const base::FileDescriptor& connection, char* bytes, std::size_t size);

}  // namespace adarun::launcher::agent
