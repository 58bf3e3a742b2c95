// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ranktable/operations/hccn.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

using Kind = ToolAnswer::Kind;

TEST(HccnConf, GivesTheAddressOfEachCard) {
  const HccnConf conf = parse_hccn_conf(
      "# cards\n"
      "address_0=192.168.10.11 # first\n"
      "netmask_0=255.255.255.0\r\n"
      " address_1 = 192.168.10.12 \r\n"
      "gateway_1=192.168.10.1\n"
      "IPv6address_1=121::0101\n"
      "IPv6address_2=121::0102\n"
      "#address_3=192.168.10.14\n"
      "address_x=1\n"
      "send_arp_status_0=1\n"
      "\n"
      "address_10=192.168.10.21",
      "hccn.conf");
  EXPECT_EQ(card_address(conf, 0), "192.168.10.11");
  EXPECT_EQ(card_address(conf, 1), "192.168.10.12");
  EXPECT_EQ(card_address(conf, 2), "121::102");
  EXPECT_EQ(card_address(conf, 10), "192.168.10.21");
  EXPECT_EQ(error_of([&] { card_address(conf, 3); }),
            "hccn.conf: address_3 is missing: no address for card 3");
}

TEST(HccnConf, ReadsMillionsOfLinesInTimeInProportion) {
  const HccnConf conf =
      parse_hccn_conf(std::string(4U << 20U, '\n') + "address_0=192.168.10.11", "hccn.conf");
  EXPECT_EQ(card_address(conf, 0), "192.168.10.11");
}

TEST(HccnConf, NamesFileAndKeyOfWhatIsNoAddress) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "hccn.conf: address_0 is missing: no address for card 0"},
      {"address_0", "hccn.conf: address_0 is missing: no address for card 0"},
      {"address_0=", "hccn.conf: address_0: found \"\", wanted an IPv4 address"},
      {"address_0=-.-.-.-", "hccn.conf: address_0: found \"-.-.-.-\", wanted an IPv4 address"},
      {"address_0=192.168.10", "hccn.conf: address_0: found \"192.168.10\", wanted an IPv4 address"},
      {"address_0=fe80::1", "hccn.conf: address_0: found \"fe80::1\", wanted an IPv4 address"},
      {"IPv6address_0=10.0.0.1", "hccn.conf: IPv6address_0: found \"10.0.0.1\", wanted an IPv6 address"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { card_address(parse_hccn_conf(wrong.text, "hccn.conf"), 0); }), wrong.message);
}

TEST(HccnConf, RefusesAKeyThatComesTwice) {
  EXPECT_EQ(error_of([] { parse_hccn_conf("address_0=1.2.3.4\n\naddress_0=1.2.3.5\n", "hccn.conf"); }),
            "hccn.conf: line 3: address_0 comes twice");
}

TEST(HccnTool, IsAskedForOneCard) {
  EXPECT_EQ(hccn_tool_arguments(3), (std::vector<std::string>{"-i", "3", "-ip", "-g"}));
  EXPECT_EQ(hccn_tool_vnic_arguments(3), (std::vector<std::string>{"-i", "3", "-vnic", "-g"}));
  EXPECT_EQ(hccn_tool_ipv6_arguments(3), (std::vector<std::string>{"-i", "3", "-ip", "-inet6", "-g"}));
}

TEST(HccnTool, AnswersWithAnAddressOrNone) {
  const struct {
    const char* output;
    Kind kind;
    const char* address;
  } cases[] = {
      {"ipaddr:10.10.100.10\nnetmask:255.255.255.0\n", Kind::address, "10.10.100.10"},
      {"ipaddr: 1.2.3.4\n", Kind::address, "1.2.3.4"},
      {"vnic ipaddr: 172.16.0.4\nvnic netmask: 255.255.0.0\n", Kind::address, "172.16.0.4"},
      {"warning: slow\r\nipaddr:1.2.3.4\r\n", Kind::address, "1.2.3.4"},
      {"ipaddr:fe80:0::1", Kind::address, "fe80::1"},
      {"ipaddr:-.-.-.-\nnetmask:-.-.-.-\n", Kind::no_address, ""},
      {"", Kind::silent, ""},
      {"no_ip_here\n", Kind::silent, ""},
  };
  for (const auto& answer : cases) {
    const ToolAnswer given = parse_hccn_tool(answer.output, 0);
    EXPECT_EQ(given.kind, answer.kind) << answer.output;
    EXPECT_EQ(given.address, answer.address) << answer.output;
  }
}

TEST(HccnTool, QuotesWhatIsNoAddress) {
  const struct {
    const char* output;
    const char* quoted;
  } cases[] = {{"hccn_tool: get ip failed: -8012\n", "\"hccn_tool: get ip failed: -8012\""},
               {"ipaddr:\n", "\"ipaddr:\""},
               {"ipaddr:10.0.0\n", "\"ipaddr:10.0.0\""},
               {"netmask:255.255.255.0\n", "\"netmask:255.255.255.0\""},
               {"IPADDR:1.2.3.4", "\"IPADDR:1.2.3.4\""}};
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { parse_hccn_tool(wrong.output, 5); }),
              "hccn_tool: card 5: found " + std::string(wrong.quoted) + ", wanted a line \"ipaddr:ADDRESS\"");
}

}  // namespace
}  // namespace adarun::ranktable
