// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/table_probe.h"

#include <gtest/gtest.h>

#include "tests/launcher/probe/fake_node.h"

namespace adarun::launcher {
namespace {

// A node that is server 1 of two, with two cards, and matches the table.
class TableProbeTest : public testing::Test {
 protected:
  TableProbeTest() {
    held_.text = "line 1\nline 2\nline 3\n";
    held_.path = "/t.json";
    held_.table.servers = {{"10.0.0.1", "", {{0, "10.1.0.0", 0}, {1, "10.1.0.1", 1}}},
                           {"10.0.0.2", "", {{0, "10.1.1.0", 2}, {1, "10.1.1.1", 3}}}};
    node_.files["/t.json"] = held_.text;
    node_.files["/etc/hccn.conf"] = "address_0=10.1.1.0\naddress_1=10.1.1.1\n";
    node_.programs["hccn_tool -i 0 -ip -g"] = "ipaddr:10.1.1.0";
    node_.programs["hccn_tool -i 1 -ip -g"] = "ipaddr:10.1.1.1";
    node_.addresses = {"127.0.0.1", "10.0.0.2", "fe80::1"};
  }

  // The findings, as "path|rule|found" lines, each after the number of the server.
  std::string held(const std::string& host = "n2") {
    TableProbe probe(held_, host);
    node_.hold(probe);
    std::string text = probe.server() ? std::to_string(*probe.server()) : "none";
    for (const ranktable::Finding& finding : probe.findings())
      text += "\n" + finding.path + "|" + finding.rule + "|" + finding.found;
    return text;
  }

  ReferenceTable held_;
  FakeNode node_;
};

TEST_F(TableProbeTest, FindsNothingWhereAllAgrees) {
  EXPECT_EQ(held(), "1");
}

TEST_F(TableProbeTest, KnowsANodeByAddressNameOrItsNameInTheList) {
  held_.table.servers[0].server_id = "fe80:0::1";
  node_.addresses = {"fe80::1"};
  EXPECT_EQ(held().substr(0, 1), "0");
  node_.addresses = {};
  EXPECT_EQ(held("10.0.0.2"), "1");
  held_.table.servers[1].server_id = "host";
  EXPECT_EQ(held(), "1");
}

TEST_F(TableProbeTest, NamesTheAddressesOfANodeThatIsNoServer) {
  held_.table.servers[1].server_id = "10.0.0.9";
  held_.table.servers[0].server_id = "127.0.0.1";  // An address of every node.
  EXPECT_EQ(held(),
            "none\n$|every node must be a server of the table|no server_id is 10.0.0.2, fe80::1 or host");
}

TEST_F(TableProbeTest, SaysHowTheFileDiffers) {
  node_.files["/t.json"] = "line 1\nline two\n";
  EXPECT_EQ(held(),
            "1\n$|every node must hold this file|/t.json: another file: 16 bytes, here 21; they differ from "
            "line 2 on");
  node_.files["/t.json"] = "line 1\nline 2\nline 4\n";
  EXPECT_NE(held().find("they differ from line 3 on"), std::string::npos);
  node_.files.erase("/t.json");
  EXPECT_EQ(held(), "1\n$|every node must hold this file|/t.json: No such file or directory");
}

TEST_F(TableProbeTest, HoldsEachCardAgainstBothSources) {
  node_.programs["hccn_tool -i 0 -ip -g"] = "ipaddr:-.-.-.-";
  node_.files["/etc/hccn.conf"] = "address_0=10.1.1.0\naddress_1=10.1.9.1\n";
  EXPECT_EQ(held(),
            "1\n$.server_list[1].device[0].device_ip|device_ip must be what hccn_tool says on the "
            "node|\"10.1.1.0\", "
            "where it says: hccn_tool: card 0: has no address"
            "\n$.server_list[1].device[1].device_ip|device_ip must be what hccn.conf says on the "
            "node|\"10.1.1.1\", "
            "where card 1 has 10.1.9.1");
}

TEST_F(TableProbeTest, TakesOneSourceWhereTheOtherIsNotThere) {
  node_.files.erase("/etc/hccn.conf");
  EXPECT_EQ(held(), "1");
  node_.programs.clear();
  EXPECT_EQ(held(),
            "1\n$|a node's cards can be checked where it has hccn_tool or hccn.conf|hccn_tool: is not there; "
            "/etc/hccn.conf: No such file or directory");
}

TEST_F(TableProbeTest, HoldsVirtualNicsAgainstTheToolAlone) {
  held_.sources.nic = Nic::virtual_;
  node_.programs = {{"hccn_tool -i 0 -vnic -g", "vnic ipaddr: 10.1.1.0"},
                    {"hccn_tool -i 1 -vnic -g", "vnic ipaddr: 10.1.1.9"}};
  node_.files["/etc/hccn.conf"] = "address_0=1.2.3.4\n";
  EXPECT_EQ(held(),
            "1\n$.server_list[1].device[1].device_ip|device_ip must be what hccn_tool says on the "
            "node|\"10.1.1.1\", "
            "where card 1 has 10.1.1.9");
  node_.programs.clear();
  EXPECT_EQ(held(),
            "1\n$|a node's cards can be checked where it has hccn_tool or hccn.conf|hccn_tool: is not there");
}

TEST_F(TableProbeTest, AsksForNoCardsOfAPlainTable) {
  for (ranktable::Device& device : held_.table.servers[1].devices) device.device_ip = "";
  EXPECT_EQ(held(), "1");
  EXPECT_EQ(node_.asked, std::vector<std::string>{"/t.json"});
}

}  // namespace
}  // namespace adarun::launcher
