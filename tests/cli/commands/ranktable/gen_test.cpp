// SPDX-License-Identifier: Apache-2.0
// Making tables, and comparing hccn.conf with hccn_tool, for this server and for "hosts" that are agents on
// this machine. Inputs that the reference generator handles wrongly are among those here.
#include <netdb.h>

#include "ranktable/model/address.h"
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

class GenCommand : public RanktableCommand {
 protected:
  // `gen WORDS... --server_ip 10.0.0.2` writes `name` with these cards, and nothing else.
  void expect_table(Words words, const std::string& name, const std::vector<Card>& cards,
                    const std::string& warning = "") {
    SCOPED_TRACE(testing::PrintToString(words));
    words.insert(words.begin(), {"gen", "--server_ip", "10.0.0.2"});
    const Outcome done = run(words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err, warning + "adarun: wrote " + name + "\n");
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

TEST_F(GenCommand, WritesTheBytesOfTheReference) {
  EXPECT_EQ(bytes_of({{0, "10.10.100.10"}, {1, "10.10.100.11"}}, "10.0.0.2"), two_cards);
  good_hccn_tool();
  const Outcome printed = run({"gen", "--server-ip", "10.0.0.2", "--device-num", "[0,2)", "-o", "-"});
  EXPECT_EQ(printed.out, two_cards);
  EXPECT_EQ(files(), Words{});
}

TEST_F(GenCommand, WritesTheTableThatIsMeant) {
  const std::string eight = "hccl_8p_01234567_10.0.0.2.json";
  const std::string sixteen = "hccl_16p_0123456789101112131415_10.0.0.2.json";
  const std::vector<Card> last{
      {4, "10.10.100.14"}, {5, "10.10.100.15"}, {6, "10.10.100.16"}, {7, "10.10.100.17"}};
  const struct {
    Words words;
    std::string name;
    std::vector<Card> cards;
    std::string warning = {};
  } cases[] = {
      {{}, eight, good_cards(0, 8)},
      {{"--device_num", "[0,2)"}, "hccl_2p_01_10.0.0.2.json", good_cards(0, 2)},
      {{"--device_num", "[0,16)"}, sixteen, good_cards(0, 16)},
      {{"--device_num_per_node", "16"}, sixteen, good_cards(0, 16)},
      {{"--device_num_per_node", "16", "--device_num", "[8,16)"},
       "hccl_8p_89101112131415_10.0.0.2.json",
       good_cards(8, 16)},
      {{"--device_num", "[0,8]"},
       eight,
       good_cards(0, 8),
       "adarun: warning: device_num \"[0,8]\" is taken as \"[0,8)\": the end of the range is not "
       "part of it\n"},
      {{"--device_num", "[0, 8)"}, eight, good_cards(0, 8)},
      {{"--device_num", "[0,2)", "--visible_devices", "0, 1"}, "hccl_2p_01_10.0.0.2.json", good_cards(0, 2)},
      {{"--device_num", "[0,4)", "--visible_devices", "4,5,6,7"}, "hccl_4p_0123_10.0.0.2.json", last},
      {{"--device-num", "[0, 4)", "--visible_devices", "4, 5,6,7"}, "hccl_4p_0123_10.0.0.2.json", last},
      {{"--device_num", "[2,4)", "--visible_devices", "4,5,7,6"},
       "hccl_2p_23_10.0.0.2.json",
       {last[3], last[2]}},
      {{"--devices", "0,2,4,6"},
       "hccl_4p_0246_10.0.0.2.json",
       {{0, "10.10.100.10"}, {2, "10.10.100.12"}, last[0], last[2]}},
      {{"--devices", "7, 4"}, "hccl_2p_74_10.0.0.2.json", {last[3], last[0]}},
      {{"--devices", "0,1,2,4", "--generation", "a2"},
       "hccl_4p_0124_10.0.0.2.json",
       {{0, "10.10.100.10"}, {1, "10.10.100.11"}, {2, "10.10.100.12"}, last[0]}},
  };
  good_hccn_tool();
  for (const auto& each : cases) expect_table(each.words, each.name, each.cards, each.warning);
}

TEST_F(GenCommand, ReadsAddressesOfTheToolWhole) {
  const std::string ipv6 = "case \"$*\" in *inet6*) echo ipaddr:2001:db8::7;; *) echo ipaddr:-.-.-.-;; esac";
  const std::pair<std::string, const char*> cases[] = {
      {"echo 'ipaddr: 1.2.3.4 '", "1.2.3.4"}, {"echo ipaddr:FE80:0::0001", "fe80::1"}, {ipv6, "2001:db8::7"}};
  for (const auto& [tool, address] : cases) {
    fake_hccn_tool(tool);
    expect_table({"--device_num", "[0,1)"}, "hccl_1p_0_10.0.0.2.json", {{0, address}});
  }
  fake_hccn_tool(
      "case \"$*\" in *-vnic*) echo \"vnic ipaddr: 172.16.0.$2\";; *) echo ipaddr:10.0.1.$2;; esac");
  expect_table({"--device_num", "[0,2)", "--vnic"}, "hccl_2p_01_10.0.0.2.json",
               {{0, "172.16.0.0"}, {1, "172.16.0.1"}});
}

TEST_F(GenCommand, ReadsHccnConfAsItIsMeant) {
  write_file(tools() / "hccn.conf", "address_0=192.168.10.11 # x\nIPv6address_1=FE80::0001\n");
  const std::string conf = (tools() / "hccn.conf").string();
  good_hccn_tool();
  expect_table({"--device_num", "[0,1)", "--hccn-conf", conf}, "hccl_1p_0_10.0.0.2.json",
               {{0, "192.168.10.11"}});
  expect_table({"--device_num", "[1,2)", "--hccn_conf", "../tools/hccn.conf"}, "hccl_1p_1_10.0.0.2.json",
               {{1, "fe80::1"}});
  write_file(tools() / "hccn.conf", "");
  expect_refusal({"--device_num", "[0,1)", "--hccn-conf", conf}, 3,
                 conf + ": address_0 is missing: no address for card 0");
}

TEST_F(GenCommand, RefusesCardsWithoutAnAddressAndWritesNothing) {
  const Words two = {"--device-num", "[0,2)"};
  const struct {
    const char* tool;
    Words words;
    const char* message;
  } cases[] = {
      {"echo ipaddr:-.-.-.-", two, "hccn_tool: card 0: has no address"},
      {"[ $2 = 1 ] && echo ipaddr:-.-.-.- || echo ipaddr:10.0.1.$2", two,
       "hccn_tool: card 1: has no address"},
      {"[ $2 -lt 8 ] && echo ipaddr:10.0.1.$2 || echo ipaddr:-.-.-.-",
       {"--device_num", "[0,16)"},
       "card 8: has no address"},
      {"echo 'hccn_tool: get ip failed: -8012'", two, "card 0: found \"hccn_tool: get ip failed: -8012\""},
      {"echo 'hccn_tool: get ip failed: -8012'; exit 1", two, "\"hccn_tool: get ip failed: -8012\""},
      {"echo 'hccn_tool: denied' >&2; exit 1", two, "\"hccn_tool: denied\""},
      {"echo ipaddr:10.0.0.1", two, "cards 0 and 1: have the same address 10.0.0.1"},
      {"while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do :; done", two,
       "hccn_tool -i 0 -ip -g: wrote more than 65536 bytes"},
      {"exit 1", {"--device_num", "[0,2)", "--vnic"}, "hccn_tool: is not there, or says nothing of a card\n"},
      {"[ $2 = 1 ] && exec sleep 1000; echo ipaddr:10.0.1.$2",
       {"--device_num", "[0,4)", "--tool-timeout", "300ms"},
       "hccn_tool -i 1 -ip -g: has not ended within 300 ms\n"},
  };
  for (const auto& wrong : cases) {
    fake_hccn_tool(wrong.tool);
    expect_refusal(wrong.words, 3, wrong.message);
  }
}

// Whether this machine's name resolves depends on its setup: without an entry in /etc/hosts it may not.
bool own_name_resolves() {
  char name[257] = {};
  addrinfo hints{};
  hints.ai_family = AF_INET;
  addrinfo* list = nullptr;
  if (::gethostname(name, sizeof name - 1) != 0 || ::getaddrinfo(name, nullptr, &hints, &list) != 0)
    return false;
  ::freeaddrinfo(list);
  return true;
}

TEST_F(GenCommand, TakesThisServersOwnAddressOrAsksForIt) {
  const Outcome done = run({"gen", "--plain", "--device-num", "[0,1)", "-o", "-"});
  if (own_name_resolves()) {
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(parse_address(parse(done.out, "stdout").servers.at(0).server_id));
  } else {
    EXPECT_EQ(done.status, 3);
    EXPECT_TRUE(has(done.err, "give --server-ip ADDRESS")) << done.err;
  }
}

TEST_F(GenCommand, WritesWhereItIsTold) {
  const Words plain = {"gen", "--plain", "--server-ip", "h", "--device-num", "[0,1)"};
  const auto with = [&](const Words& more) {
    Words words = plain;
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome printed = with({"-o", "-"});
  EXPECT_EQ(files(), Words{});
  EXPECT_EQ(with({"-o", "t.json"}).err, "adarun: wrote t.json\n");
  EXPECT_EQ(with({"-q"}).out, "");
  EXPECT_EQ(files(), (Words{"hccl_1p_0_h.json", "t.json"}));
  EXPECT_EQ(read_text("t.json"), printed.out);
  EXPECT_EQ(read_text("hccl_1p_0_h.json"), printed.out);
  EXPECT_EQ(with({"-o", "none/t.json"}).status, 3);
  EXPECT_EQ(with({"-o", "/dev/full"}).status, 3);
}

TEST_F(GenCommand, TakesNoOtherSourceThanTheOneNamed) {
  good_hccn_tool();
  const Outcome no_conf = run({"gen", "--server-ip", "h", "--hccn-conf", "none.conf"});
  EXPECT_EQ(no_conf.status, 3);
  EXPECT_TRUE(has(no_conf.err, "none.conf: No such file or directory")) << no_conf.err;
  const Outcome no_tool = run({"gen", "--server-ip", "h", "--hccn-tool", "no_such_tool"});
  EXPECT_EQ(no_tool.status, 3);
  EXPECT_TRUE(has(no_tool.err, "no_such_tool: is not there")) << no_tool.err;
  fake_hccn_tool("echo ipaddr:1.2.3.$2", "other_tool");
  EXPECT_EQ(run({"gen", "--server-ip", "h", "--hccn-tool", (tools() / "other_tool").string()}).status, 0);
}

TEST_F(GenCommand, MakesPlainTablesOfHosts) {
  EXPECT_EQ(run({"gen", "--plain", "--hosts", "n[1-2]:2"}).err, "adarun: wrote hccl_2s_4p.json\n");
  const Table table = read("hccl_2s_4p.json");
  EXPECT_EQ(table.servers.at(1).server_id, "n2");
  EXPECT_EQ(table.servers.at(1).devices.at(1), (Device{1, "", 3}));
}

TEST_F(GenCommand, GivesPlainHostsTheDevicesPerNodeWhereTheListDoesNot) {
  EXPECT_EQ(run({"gen", "--plain", "--hosts", "n[1-2],n3:2", "--device-num-per-node", "8"}).err,
            "adarun: wrote hccl_3s_18p.json\n");
  EXPECT_EQ(read("hccl_3s_18p.json").servers.at(2).devices, (std::vector<Device>{{0, "", 16}, {1, "", 17}}));
}

TEST_F(GenCommand, RefusesWhatWouldHaveNoEffect) {
  const struct {
    Words words;
    std::string message;
  } cases[] = {
      {{"--via", "local"}, "--via requires --hosts"},
      {{"--exclude", "n3"}, "--exclude requires --hosts"},
      {{"--connect-timeout", "9s"}, "--connect-timeout requires --hosts"},
      {{"--order", "numeric"}, "--order requires --hosts"},
      {{"--server-id", "name"}, "--server-id requires --hosts"},
      {{"--hosts", "n[1-2]:2", "--server-id", "address"}, "--server-id address: --plain connects to no host"},
  };
  for (const auto& wrong : cases) {
    Words words = {"gen", "--plain"};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    const Outcome refused = run(words);
    EXPECT_EQ(refused.status, 2) << wrong.message;
    EXPECT_TRUE(has(refused.err, wrong.message)) << refused.err;
  }
  EXPECT_EQ(files(), Words{});
  EXPECT_EQ(run({"gen", "--plain", "--hosts", "n[1-2]:2", "--server-id", "name"}).status, 0);
}

// A batch system counts ranks, not cards.
TEST_F(GenCommand, DoesNotTakeTheHostsOfABatchJob) {
  write_file("nodes", "n1\nn2\n");
  ::setenv("PBS_NODEFILE", "nodes", 1);
  ::setenv("PBS_JOBID", "7", 1);
  const Outcome refused = run({"gen", "--server-ip", "h", "--via", "pbs"});
  ::unsetenv("PBS_NODEFILE");
  ::unsetenv("PBS_JOBID");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "--via requires --hosts")) << refused.err;
}

TEST_F(GenCommand, WarnsOfAClosedRangeUnlessQuiet) {
  const Words gen = {"gen", "--plain", "--server-ip", "h", "--device-num", "[0,8]"};
  EXPECT_TRUE(has(run(gen).err, "warning: device_num \"[0,8]\" is taken as \"[0,8)\""));
  Words quiet = gen;
  quiet.push_back("-q");
  EXPECT_EQ(run(quiet).err, "");
  EXPECT_EQ(files(), Words{"hccl_8p_01234567_h.json"});
}

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
