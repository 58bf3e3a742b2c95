// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>

namespace adarun::launcher::agent {

/// One end of a TCP connection: its address (one word of an IPv4 address, four of an IPv6 one) and port, both
/// in network byte order.
struct TcpEnd {
  int family = 0;
  std::array<std::uint32_t, 4> address{};
  std::uint16_t port = 0;
};

/// What the kernel knows of a TCP socket.
struct TcpRecord {
  bool established = false;
  uid_t uid = 0;           ///< Of the process that made it; root where it is closed.
  int unacknowledged = 0;  ///< How often it has sent again, or asked for room, since the peer's last answer.
};

/// The record of the socket of this network namespace that has these two ends, by sock_diag(7). Nothing if
/// there is none, or if the kernel offers no records.
std::optional<TcpRecord> tcp_record(const TcpEnd& local, const TcpEnd& remote);

}  // namespace adarun::launcher::agent
