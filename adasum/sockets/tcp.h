// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/endpoint.h"
#include "adasum/types/descriptor.h"

/// TCP, without blocking. Errors: adasum::Error with the system's word for it; the caller names the endpoint.
namespace adasum::sockets {

/// Listens on `endpoint`; port 0: any free one. An empty host: all addresses of this machine.
Descriptor listen_on(const Endpoint& endpoint);

/// The port on which a listener listens.
std::uint16_t port_of(const Descriptor& listener);

/// The next connection, if one waits. Throws if this process cannot have more.
std::optional<Descriptor> accept_from(const Descriptor& listener);

/// Connects to the first address of `endpoint` that answers within some seconds. While nothing listens there
/// it tries again, until the deadline, because ranks do not start at the same moment.
Descriptor connect_to(const Endpoint& endpoint, const Deadline& deadline);

/// Whether both sides of a connection are the same socket: of one that tries to connect to a free port of its
/// machine, to which the system may give that very port.
bool is_connected_to_itself(const Descriptor& connection);

/// The numeric address of this, or of the other, side of a connection.
std::string own_address(const Descriptor& connection);
std::string peer_address(const Descriptor& connection);

/// For how long the machine at the other side has not acknowledged what was sent to it, also questions
/// whether it is there. Zero while nothing is to be acknowledged, or if the connection is not of TCP.
std::chrono::milliseconds unanswered_for(int connection);

/// Thrown by the two below where the other side is gone: `what()` is the system's word for it.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// As many bytes as the connection takes now, maybe none.
std::size_t write_some(int connection, std::span<const std::byte> head, std::span<const std::byte> body,
                       std::span<const std::byte> tail = {});

/// As many bytes as have arrived, maybe none; what `bytes` has no room for goes into `tail`. At least one of
/// them has room.
std::size_t read_some(int connection, std::span<std::byte> bytes, std::span<std::byte> tail = {});

}  // namespace adasum::sockets
