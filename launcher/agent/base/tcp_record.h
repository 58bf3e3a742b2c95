// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

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

/// Whether the kernel of the machine that an SSH connection comes from acknowledges what is sent there.
/// `ssh_connection` is sshd's variable SSH_CONNECTION, "CLIENT PORT SERVER PORT". False if no such connection
/// ends in this network namespace: it is another one's, as behind Slurm, or it is closed.
bool ssh_is_acknowledged(const std::string& ssh_connection);

/// The user id of the process that made the other end of `socket`, a TCP connection with both ends on this
/// machine, in this network namespace. It comes from the kernel, not from the process. Nothing if it cannot
/// be determined: the other end is closed or elsewhere, or the kernel offers it neither by netlink nor in
/// /proc/net.
std::optional<uid_t> peer_uid(int socket);

}  // namespace adarun::launcher::agent
