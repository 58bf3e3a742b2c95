// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/located_hosts.h"
#include "launcher/transport/ssh/resolve.h"

#include <gtest/gtest.h>

namespace adarun::launcher {
namespace {

using Texts = std::vector<std::string>;

// The addresses of each host, as a resolver may return them.
std::vector<std::vector<SocketAddress>> hosts(const std::vector<Texts>& texts) {
  std::vector<std::vector<SocketAddress>> result;
  for (const Texts& addresses : texts) {
    std::vector<SocketAddress>& host = result.emplace_back();
    for (const std::string& address : addresses)
      host.push_back(resolve(Endpoint{address, 22}).addresses.front());
  }
  return result;
}

// On the route to 10.0.0.9 this machine is "me>10.0.0.9".
std::string me_towards(const SocketAddress& other) {
  return "me>" + other.text();
}

TEST(OutsideAddresses, AreThoseOfTheResolverForHostsElsewhere) {
  EXPECT_EQ(outside_addresses(hosts({{"10.0.0.1", "10.9.9.9"}, {"fe80::1"}}), me_towards),
            (Texts{"10.0.0.1", "fe80::1"}));
}

TEST(OutsideAddresses, OfThisMachineAreThoseOnTheWayToTheOthers) {
  EXPECT_EQ(outside_addresses(hosts({{"127.0.1.1"}, {"10.0.0.9"}, {"10.0.0.8"}}), me_towards),
            (Texts{"me>10.0.0.9", "10.0.0.9", "10.0.0.8"}));
  EXPECT_EQ(outside_addresses(hosts({{"10.0.0.9"}, {"::1", "127.0.0.1"}}), me_towards),
            (Texts{"10.0.0.9", "me>10.0.0.9"}));
}

TEST(OutsideAddresses, PreferTheOneThatANameHasBesidesLoopback) {
  EXPECT_EQ(outside_addresses(hosts({{"127.0.1.1", "10.0.0.1"}, {"10.0.0.9"}}), me_towards),
            (Texts{"10.0.0.1", "10.0.0.9"}));
}

TEST(OutsideAddresses, StayOnLoopbackWhereAllHostsAreThereOrNoWayLeadsOut) {
  EXPECT_EQ(outside_addresses(hosts({{"127.0.1.1"}, {"127.0.1.2"}}), me_towards),
            (Texts{"127.0.1.1", "127.0.1.2"}));
  EXPECT_EQ(
      outside_addresses(hosts({{"127.0.1.1"}, {"10.0.0.9"}}), [](const auto&) { return std::string(); }),
      (Texts{"127.0.1.1", "10.0.0.9"}));
}

TEST(OwnAddress, IsTheOneThatTheRoutingTableGives) {
  EXPECT_EQ(own_address_towards(resolve(Endpoint{"127.9.9.9", 22}).addresses.front()), "127.0.0.1");
}

}  // namespace
}  // namespace adarun::launcher
