// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher::agent {

/// An IPv4 or IPv6 address as text; empty for none, or of another family.
std::string address_text(const sockaddr* address);

/// One address of this machine: its interface, and the network it is in.
struct Interface {
  std::string name;     ///< "eth0"
  std::string address;  ///< IPv4 or IPv6, as text.
  std::string network;  ///< "10.77.0.0/16"; empty for IPv6.

  bool operator==(const Interface&) const = default;
};

/// All addresses of interfaces that are up; none if the system call fails.
std::vector<Interface> interfaces();

/// The interface through which to reach other nodes: the one that has the first of `addresses` found on this
/// machine, else the one that the launcher reached by SSH, whose address is the third word of
/// `ssh_connection` (SSH_CONNECTION). Nothing if there is none; never loopback. Pure.
std::optional<Interface> interface_towards_others(const std::vector<Interface>& all,
                                                  std::vector<std::string> addresses,
                                                  const std::string& ssh_connection);

/// The kind of a node's network.
enum class Network { sockets, rdma };

/// rdma if the kernel lists InfiniBand or RoCE devices in `folder`.
Network network_of_node(const std::string& folder = "/sys/class/infiniband");

/// The "NAME=VALUE" defaults, for a rank whose user has set none, that make libraries use only `interface`:
/// Open MPI, Gloo, NCCL, HCCL, libfabric's TCP, and UCX, which MPICH uses. UCX would exclude faster devices
/// too, so it is left to choose if the node has any.
std::vector<std::string> interface_variables(const Interface& interface, Network network);

}  // namespace adarun::launcher::agent
