// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/network_interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

namespace adarun::launcher::agent {
namespace {

const in_addr& ipv4(const sockaddr* address) {
  return reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
}

std::string network_of(const ifaddrs& each) {
  if (each.ifa_netmask == nullptr) return "";
  in_addr net = ipv4(each.ifa_addr);
  const in_addr mask = ipv4(each.ifa_netmask);
  net.s_addr &= mask.s_addr;
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &net, text.data(), text.size());
  return std::string(text.data()) + '/' + std::to_string(std::popcount(mask.s_addr));
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

}  // namespace

std::string address_text(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address != nullptr && address->sa_family == AF_INET)
    ::inet_ntop(AF_INET, &ipv4(address), text.data(), text.size());
  if (address != nullptr && address->sa_family == AF_INET6)
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text.data(),
                text.size());
  return text.data();
}

std::vector<Interface> interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<Interface> result;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const bool is_v4 = each->ifa_addr->sa_family == AF_INET;
    std::string address = address_text(each->ifa_addr);
    if (!address.empty())
      result.push_back({each->ifa_name, std::move(address), is_v4 ? network_of(*each) : ""});
  }
  return result;
}

std::optional<Interface> interface_towards_others(const std::vector<Interface>& all,
                                                  std::vector<std::string> addresses,
                                                  const std::string& ssh_connection) {
  std::istringstream words(ssh_connection);
  std::string client;
  std::string port;
  std::string reached;
  words >> client >> port >> reached;
  addresses.push_back(reached);
  for (const std::string& wanted : addresses) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Interface& each) {
      return !is_loopback(wanted) && each.address == wanted;
    });
    if (found != all.end()) return *found;
  }
  return std::nullopt;
}

Network network_of_node(const std::string& folder) {
  std::error_code error;
  return std::filesystem::directory_iterator(folder, error) == std::filesystem::directory_iterator()
             ? Network::sockets
             : Network::rdma;
}

std::vector<std::string> interface_variables(const Interface& interface, Network network) {
  // NCCL and HCCL treat a name without '=' as a prefix: eth1 would match eth10 as well.
  std::vector<std::string> variables{
      "GLOO_SOCKET_IFNAME=" + interface.name, "NCCL_SOCKET_IFNAME==" + interface.name,
      "HCCL_SOCKET_IFNAME==" + interface.name, "FI_TCP_IFACE=" + interface.name};
  if (network == Network::sockets) variables.push_back("UCX_NET_DEVICES=" + interface.name);
  if (!interface.network.empty()) variables.push_back("OMPI_MCA_btl_tcp_if_include=" + interface.network);
  return variables;
}

}  // namespace adarun::launcher::agent
