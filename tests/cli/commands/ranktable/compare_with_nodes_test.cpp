// SPDX-License-Identifier: Apache-2.0
// Comparing hccn.conf with hccn_tool, for this server and for "hosts" that are agents on this machine.
#include "tests/cli/commands/ranktable/ranktable_command.h"

namespace adarun::ranktable {
namespace {

class CompareCommand : public RanktableCommand {
 protected:
  CompareCommand() { fake_hccn_tool("echo ipaddr:10.0.1.$2"); }

  Outcome compare(const std::string& conf, const Words& more) {
    write_file(tools() / "hccn.conf", conf);
    Words words = {"gen", "--compare", "--hccn-conf", (tools() / "hccn.conf").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(CompareCommand, AgreesWhereBothSayTheSame) {
  const Outcome same = compare("address_0=10.0.1.0\naddress_1=10.0.1.1\n", {"--device-num", "[0,2)"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out,
            "card  hccn.conf  hccn_tool  verdict\n"
            "0     10.0.1.0   10.0.1.0   same\n"
            "1     10.0.1.1   10.0.1.1   same\n");
  EXPECT_EQ(files(), Words{});
}

TEST_F(CompareCommand, NamesEachCardThatDiffers) {
  fake_hccn_tool("case $2 in 2) echo ipaddr:-.-.-.-;; 3) echo 'error: 7';; *) echo ipaddr:10.0.1.$2;; esac");
  const Outcome differ =
      compare("address_0=10.0.1.0\naddress_1=10.0.1.10\naddress_2=10.0.1.2\n", {"--device-num", "[0,4)"});
  EXPECT_EQ(differ.status, 1) << differ.err;
  EXPECT_EQ(differ.out,
            "card  hccn.conf  hccn_tool  verdict\n"
            "0     10.0.1.0   10.0.1.0   same\n"
            "1     10.0.1.10  10.0.1.1   differ\n"
            "2     10.0.1.2   -          in hccn.conf alone\n"
            "3     -          -          in neither: hccn_tool: card 3: found \"error: 7\", wanted a line "
            "\"ipaddr:ADDRESS\"\n");
}

TEST_F(CompareCommand, NeedsBothOfThem) {
  const Outcome no_conf =
      run({"gen", "--compare", "--device-num", "[0,1)", "--hccn-conf", "none.conf", "--server-ip", "h"});
  EXPECT_EQ(no_conf.status, 3);
  EXPECT_EQ(no_conf.err, "adarun: none.conf: No such file or directory\n");
  const Outcome no_tool = compare("address_0=10.0.1.0\n", {"--device-num", "[0,1)", "--hccn-tool", "none"});
  EXPECT_EQ(no_tool.status, 3);
  EXPECT_EQ(no_tool.err, "adarun: none: is not there\n");
}

TEST_F(CompareCommand, WritesNoTable) {
  const Outcome refused = compare("address_0=10.0.1.0\n", {"--device-num", "[0,1)", "-o", "t.json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "--output excludes --compare") ||
              has(refused.err, "--compare excludes --output"))
      << refused.err;
}

TEST_F(CompareCommand, ComparesAllHosts) {
  const Outcome differ = compare("address_0=10.0.1.0\naddress_1=10.0.1.9\n",
                                 {"--via", "local", "--hosts", "node[1-2]:2", "--hccn-tool", "hccn_tool"});
  EXPECT_EQ(differ.status, 1) << differ.err;
  EXPECT_EQ(differ.out,
            "server  card  hccn.conf  hccn_tool  verdict\n"
            "node1   0     10.0.1.0   10.0.1.0   same\n"
            "node1   1     10.0.1.9   10.0.1.1   differ\n"
            "node2   0     10.0.1.0   10.0.1.0   same\n"
            "node2   1     10.0.1.9   10.0.1.1   differ\n");
}

TEST_F(CompareCommand, NamesTheHostsThatCannotBeCompared) {
  const Outcome failed = compare("", {"--via", "local", "--hosts", "node[1-3]:2", "--hccn-tool", "none"});
  EXPECT_EQ(failed.status, 3);
  EXPECT_EQ(failed.err,
            "adarun: 3 of 3 nodes failed; they are not compared\n  node[1-3]: none: is not there\n");
}

// All agents here have the same cards: one host makes a table, two have the same addresses.
TEST_F(CompareCommand, GenMakesTheTableOfHosts) {
  const Outcome one = run({"gen", "--via", "local", "--hosts", "10.0.0.2:2", "--server-id", "name"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.err, "adarun: wrote hccl_1s_2p.json\n");
  EXPECT_EQ(read("hccl_1s_2p.json").servers.at(0).devices.at(1), (Device{1, "10.0.1.1", 1}));
  const Outcome two = run({"gen", "--via", "local", "--hosts", "node[1-2]:2", "-o", "two.json"});
  EXPECT_EQ(two.status, 3);
  EXPECT_EQ(two.err, "adarun: node1 and node2: both have the card address 10.0.1.0\n");
  const Outcome none =
      run({"gen", "--via", "local", "--hosts", "node[1-2]:2,node9:6", "--hccn-tool", "none"});
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.err,
            "adarun: 3 of 3 nodes failed; nothing was written\n"
            "  node[1-2,9]: none: is not there, or says nothing of a card\n");
  EXPECT_EQ(files(), Words{"hccl_1s_2p.json"});
}

TEST_F(CompareCommand, HostsAreHeldToTheRingsOfTheirGeneration) {
  const Outcome refused = run({"gen", "--via", "local", "--hosts", "node1:6"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_TRUE(has(refused.err, "  node1: devices 0,1,2,3,4,5: must be in the same group")) << refused.err;
  EXPECT_EQ(run({"gen", "--via", "local", "--hosts", "node1:6", "--generation", "a2"}).status, 0);
}

}  // namespace
}  // namespace adarun::ranktable
