// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/network_interface.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

const std::vector<Interface> machine{{"lo", "127.0.0.1", "127.0.0.0/8"},
                                     {"docker0", "172.17.0.1", "172.17.0.0/16"},
                                     {"eth0", "192.168.3.7", "192.168.3.0/24"},
                                     {"ib0", "10.9.0.7", "10.9.0.0/16"},
                                     {"ib0", "fd00::7", ""}};
const std::string by_ssh = "192.168.3.1 40000 192.168.3.7 22";

TEST(InterfaceTowardsOthers, HasTheTablesAddressOfTheNode) {
  EXPECT_EQ(interface_towards_others(machine, {"10.9.0.7"}, by_ssh)->name, "ib0");
  EXPECT_EQ(interface_towards_others(machine, {"node7", "fd00::7"}, by_ssh)->name, "ib0");
}

TEST(InterfaceTowardsOthers, ElseIsTheOneThatSshCameBy) {
  EXPECT_EQ(interface_towards_others(machine, {"node7", ""}, by_ssh)->name, "eth0");
  EXPECT_EQ(interface_towards_others(machine, {"10.9.0.8"}, by_ssh)->name, "eth0")
      << "another node's address";
  EXPECT_EQ(interface_towards_others(machine, {}, "fd00::1 40000 fd00::7 22")->name, "ib0");
}

TEST(InterfaceTowardsOthers, IsNotGuessed) {
  EXPECT_EQ(interface_towards_others(machine, {"node7"}, ""), std::nullopt);
  EXPECT_EQ(interface_towards_others(machine, {"127.0.0.1"}, "127.0.0.1 5 127.0.0.1 22"), std::nullopt);
}

TEST(InterfaceVariables, NameTheInterfaceAsEachLibraryTakesIt) {
  EXPECT_EQ(interface_variables(machine[2], Network::sockets),
            (std::vector<std::string>{"GLOO_SOCKET_IFNAME=eth0", "NCCL_SOCKET_IFNAME==eth0",
                                      "HCCL_SOCKET_IFNAME==eth0", "FI_TCP_IFACE=eth0", "UCX_NET_DEVICES=eth0",
                                      "OMPI_MCA_btl_tcp_if_include=192.168.3.0/24"}));
  EXPECT_EQ(interface_variables(machine[4], Network::sockets).size(), 5U) << "Open MPI takes no IPv6 network";
}

TEST(InterfaceVariables, LeaveUcxItsFasterDevices) {
  for (const std::string& variable : interface_variables(machine[2], Network::rdma))
    EXPECT_FALSE(variable.starts_with("UCX_")) << variable;
}

TEST(NetworkOfNode, IsOfSocketsWhereTheKernelListsNoOtherDevice) {
  const test::ScratchFolder folder;
  EXPECT_EQ(network_of_node(folder.path() / "none"), Network::sockets);
  EXPECT_EQ(network_of_node(folder.path()), Network::sockets);
  folder.write("mlx5_0", "");
  EXPECT_EQ(network_of_node(folder.path()), Network::rdma);
}

TEST(Interfaces, OfThisMachineHaveLoopback) {
  const std::vector<Interface> all = interfaces();
  EXPECT_NE(std::find(all.begin(), all.end(), machine[0]), all.end());
}

}  // namespace
}  // namespace adarun::launcher::agent
