// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher::agent {

/// One address of this machine: the interface that has it, and the network it is in.
struct Interface {
  std::string name;     ///< "eth0"
  std::string address;  ///< IPv4 or IPv6, as text.
  std::string network;  ///< "10.77.0.0/16"; empty for IPv6.

  bool operator==(const Interface&) const = default;
};

/// All addresses of interfaces that are up; none where the system does not tell.
std::vector<Interface> interfaces();

/// The interface by which other nodes are to be spoken to: the one that has the first of `addresses` that
/// this machine has, else the one that the launcher reached by SSH, whose end here is the third word of
/// `ssh_connection` (SSH_CONNECTION). Nothing where there is none, and never loopback. Pure.
std::optional<Interface> interface_towards_others(const std::vector<Interface>& all,
                                                  std::vector<std::string> addresses,
                                                  const std::string& ssh_connection);

/// What a node's network is made of.
enum class Network { sockets, rdma };

/// rdma where the kernel lists InfiniBand or RoCE devices in `folder`.
Network network_of_node(const std::string& folder = "/sys/class/infiniband");

/// What makes libraries use `interface` and no other, for a rank whose user has not said better: "NAME=VALUE"
/// of Open MPI, Gloo, NCCL and HCCL, of libfabric's sockets, and of UCX, which MPICH uses. UCX would leave
/// out faster devices as well: where the node has such, it chooses for itself.
std::vector<std::string> interface_variables(const Interface& interface, Network network);

}  // namespace adarun::launcher::agent
