// SPDX-License-Identifier: Apache-2.0
// Each input that the reference generator handles wrongly, and the right output, byte for byte.
#include "tests/cli/commands/ranktable/ranktable_command.h"

namespace adarun::ranktable {
namespace {

struct Card {
  int id;
  std::string address;
};

// The output of the reference's json.dump(table, indent=4), written by hand.
std::string bytes_of(const std::vector<Card>& cards, const std::string& server) {
  std::string devices;
  for (std::size_t rank = 0; rank < cards.size(); ++rank)
    devices += std::string(rank == 0 ? "" : ",") +
               "\n                {\n                    \"device_id\": \"" + std::to_string(cards[rank].id) +
               "\",\n                    \"device_ip\": \"" + cards[rank].address +
               "\",\n                    \"rank_id\": \"" + std::to_string(rank) + "\"\n                }";
  return "{\n    \"version\": \"1.0\",\n    \"server_count\": \"1\",\n    \"server_list\": [\n        {\n"
         "            \"server_id\": \"" +
         server + "\",\n            \"device\": [" + devices +
         "\n            ],\n            \"host_nic_ip\": \"reserve\"\n        }\n    ],\n    \"status\": "
         "\"completed\"\n}";
}

// Cards first..end-1 with the addresses of good_hccn_tool.
std::vector<Card> good_cards(int first, int end) {
  std::vector<Card> cards;
  for (int id = first; id < end; ++id) cards.push_back({id, "10.10.100.1" + std::to_string(id)});
  return cards;
}

class GenReference : public RanktableCommand {
 protected:
  // `gen WORDS... --server_ip 10.0.0.2` writes `name` with these cards, and nothing else.
  void expect_table(Words words, const std::string& name, const std::vector<Card>& cards) {
    words.insert(words.begin(), {"gen", "--server_ip", "10.0.0.2"});
    const Outcome done = run(words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(done.err.ends_with("adarun: wrote " + name + "\n")) << done.err;
    ASSERT_EQ(files(), Words{name});
    EXPECT_EQ(read_text(name), bytes_of(cards, "10.0.0.2"));
    std::filesystem::remove(name);
  }
  void expect_refusal(Words words, int status, const std::string& message) {
    words.insert(words.begin(), {"gen", "--server_ip", "10.0.0.2"});
    const Outcome refused = run(words);
    EXPECT_EQ(refused.status, status) << refused.err;
    EXPECT_TRUE(has(refused.err, message)) << refused.err << "\nwanted " << message;
    EXPECT_EQ(files(), Words{});
  }
};

TEST_F(GenReference, TheBytesHereAreThoseOfTheReference) {
  EXPECT_EQ(bytes_of({{0, "10.10.100.10"}, {1, "10.10.100.11"}}, "10.0.0.2"), two_cards);
}

TEST_F(GenReference, SixteenDevicesAreSixteen) {
  good_hccn_tool();
  expect_table({"--device_num", "[0,16)"}, "hccl_16p_0123456789101112131415_10.0.0.2.json",
               good_cards(0, 16));
  expect_table({"--device_num_per_node", "16"}, "hccl_16p_0123456789101112131415_10.0.0.2.json",
               good_cards(0, 16));
  expect_table({"--device_num_per_node", "16", "--device_num", "[8,16)"},
               "hccl_8p_89101112131415_10.0.0.2.json", good_cards(8, 16));
  fake_hccn_tool("[ $2 -lt 8 ] && echo ipaddr:10.0.1.$2 || echo ipaddr:-.-.-.-");
  expect_refusal({"--device_num", "[0,16)"}, 3, "card 8: has no address");
}

TEST_F(GenReference, RangesAreReadAsTheyAreMeant) {
  good_hccn_tool();
  const std::string eight = "hccl_8p_01234567_10.0.0.2.json";
  expect_refusal({"--device_num", "[3,3)"}, 2, "\"[3,3)\": wanted at least one device");
  expect_refusal({"--device_num", "(0,8)"}, 2, "\"(0,8)\": wanted a half-open range");
  expect_table({"--device_num", "[0,8]"}, eight, good_cards(0, 8));
  expect_table({"--device_num", "[0, 8)"}, eight, good_cards(0, 8));
  expect_table({"--device_num", "[0,2)", "--visible_devices", "0, 1"}, "hccl_2p_01_10.0.0.2.json",
               good_cards(0, 2));
}

TEST_F(GenReference, PhysicalAndLogicalIdsAreNotMixedUp) {
  good_hccn_tool();
  expect_table({"--device_num", "[0,4)", "--visible_devices", "4,5,6,7"}, "hccl_4p_0123_10.0.0.2.json",
               good_cards(4, 8));
  expect_table({"--device_num", "[2,4)", "--visible_devices", "4,5,7,6"}, "hccl_2p_23_10.0.0.2.json",
               {{7, "10.10.100.17"}, {6, "10.10.100.16"}});
}

TEST_F(GenReference, AddressesOfTheToolAreReadWhole) {
  const std::string name = "hccl_1p_0_10.0.0.2.json";
  fake_hccn_tool("echo 'ipaddr: 1.2.3.4 '");
  expect_table({"--device_num", "[0,1)"}, name, {{0, "1.2.3.4"}});
  fake_hccn_tool("echo ipaddr:FE80:0::0001");
  expect_table({"--device_num", "[0,1)"}, name, {{0, "fe80::1"}});
  fake_hccn_tool("case \"$*\" in *-inet6*) echo ipaddr:2001:db8::7;; *) echo ipaddr:-.-.-.-;; esac");
  expect_table({"--device_num", "[0,1)"}, name, {{0, "2001:db8::7"}});
}

TEST_F(GenReference, WhatIsNoAddressIsNeverWritten) {
  fake_hccn_tool("echo 'hccn_tool: get ip failed: -8012'");
  expect_refusal({"--device_num", "[0,2)"}, 3, "card 0: found \"hccn_tool: get ip failed: -8012\"");
  fake_hccn_tool("[ $2 = 1 ] && echo ipaddr:-.-.-.- || echo ipaddr:10.0.1.$2");
  expect_refusal({"--device_num", "[0,2)"}, 3, "hccn_tool: card 1: has no address");
}

TEST_F(GenReference, HccnConfIsReadAsItIsMeant) {
  write_file(tools() / "hccn.conf", "address_0=192.168.10.11 # x\nIPv6address_1=FE80::0001\n");
  const std::string conf = (tools() / "hccn.conf").string();
  expect_table({"--device_num", "[0,1)", "--hccn-conf", conf}, "hccl_1p_0_10.0.0.2.json",
               {{0, "192.168.10.11"}});
  expect_table({"--device_num", "[1,2)", "--hccn_conf", conf}, "hccl_1p_1_10.0.0.2.json", {{1, "fe80::1"}});
  write_file(tools() / "hccn.conf", "");
  expect_refusal({"--device_num", "[0,1)", "--hccn-conf", conf}, 3,
                 conf + ": address_0 is missing: no address for card 0");
}

TEST_F(GenReference, ListsOfDevicesNameThemselves) {
  good_hccn_tool();
  expect_table({"--devices", "0,2,4,6"}, "hccl_4p_0246_10.0.0.2.json",
               {{0, "10.10.100.10"}, {2, "10.10.100.12"}, {4, "10.10.100.14"}, {6, "10.10.100.16"}});
  expect_table({"--devices", "7, 4"}, "hccl_2p_74_10.0.0.2.json", {{7, "10.10.100.17"}, {4, "10.10.100.14"}});
  expect_table({"--devices", "0,1,2,4", "--generation", "a2"}, "hccl_4p_0124_10.0.0.2.json",
               {{0, "10.10.100.10"}, {1, "10.10.100.11"}, {2, "10.10.100.12"}, {4, "10.10.100.14"}});
  expect_refusal({"--devices", "0,1,2,4"}, 2, "devices 0,1,2,4: must be in the same group of [0,4] or [4,8]");
}

TEST_F(GenReference, VirtualNicsComeFromTheToolAlone) {
  fake_hccn_tool(
      "case \"$*\" in *-vnic*) echo \"vnic ipaddr: 172.16.0.$2\";; *) echo ipaddr:10.0.1.$2;; esac");
  expect_table({"--device_num", "[0,2)", "--vnic"}, "hccl_2p_01_10.0.0.2.json",
               {{0, "172.16.0.0"}, {1, "172.16.0.1"}});
  fake_hccn_tool("exit 1");
  expect_refusal({"--device_num", "[0,2)", "--vnic"}, 3,
                 "hccn_tool: is not there, or says nothing of a card\n");
}

TEST_F(GenReference, AHungToolMeetsItsDeadline) {
  fake_hccn_tool("[ $2 = 1 ] && exec sleep 1000; echo ipaddr:10.0.1.$2");
  expect_refusal({"--device_num", "[0,4)", "--tool-timeout", "300ms"}, 3,
                 "hccn_tool -i 1 -ip -g: has not ended within 300 ms\n");
}

}  // namespace
}  // namespace adarun::ranktable
