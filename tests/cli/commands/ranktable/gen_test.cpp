// SPDX-License-Identifier: Apache-2.0
#include <netdb.h>

#include "ranktable/model/address.h"
#include "tests/cli/commands/ranktable/ranktable_command.h"

namespace adarun::ranktable {
namespace {

class GenCommand : public RanktableCommand {};

TEST_F(GenCommand, WritesTheFileOfTheReference) {
  good_hccn_tool();
  const Outcome done = run({"gen", "--device_num", "[0,2)", "--server_ip", "10.0.0.2"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "adarun: wrote hccl_2p_01_10.0.0.2.json\n");
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(files(), Words{"hccl_2p_01_10.0.0.2.json"});
  EXPECT_EQ(read_text("hccl_2p_01_10.0.0.2.json"), two_cards);
}

TEST_F(GenCommand, MakesAllEightByDefault) {
  good_hccn_tool();
  EXPECT_EQ(run({"gen", "--server-ip", "h"}).err, "adarun: wrote hccl_8p_01234567_h.json\n");
  EXPECT_EQ(device_count(read("hccl_8p_01234567_h.json")), 8U);
}

TEST_F(GenCommand, AsksForThePhysicalCards) {
  good_hccn_tool();
  const Outcome done =
      run({"gen", "--device-num", "[0, 4)", "--visible_devices", "4, 5,6,7", "--server-ip", "h"});
  EXPECT_EQ(done.err, "adarun: wrote hccl_4p_0123_h.json\n") << done.err;
  const std::vector<Device> wanted = {
      {4, "10.10.100.14", 0}, {5, "10.10.100.15", 1}, {6, "10.10.100.16", 2}, {7, "10.10.100.17", 3}};
  EXPECT_EQ(read("hccl_4p_0123_h.json").servers.at(0).devices, wanted);
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

TEST_F(GenCommand, ReadsIpv6AndHccnConf) {
  fake_hccn_tool("case \"$*\" in *inet6*) echo ipaddr:FE80:0::$2;; *) echo ipaddr:-.-.-.-;; esac");
  const Words gen = {"gen", "--server-ip", "h", "--device-num", "[1,2)", "-o", "-"};
  EXPECT_EQ(parse(run(gen).out, "t").servers.at(0).devices.at(0).device_ip, "fe80::1");
  write_file("hccn.conf", "address_1=192.168.10.12 # x\n");
  Words from_conf = gen;
  from_conf.insert(from_conf.end(), {"--hccn-conf", "hccn.conf"});
  EXPECT_EQ(parse(run(from_conf).out, "t").servers.at(0).devices.at(0).device_ip, "192.168.10.12");
}

TEST_F(GenCommand, RefusesCardsWithoutAnAddressAndWritesNothing) {
  const struct {
    const char* tool;
    const char* message;
  } cases[] = {
      {"echo ipaddr:-.-.-.-", "hccn_tool: card 0: has no address"},
      {"echo 'hccn_tool: get ip failed: -8012'; exit 1", "\"hccn_tool: get ip failed: -8012\""},
      {"echo 'hccn_tool: denied' >&2; exit 1", "\"hccn_tool: denied\""},
      {"echo ipaddr:10.0.0.1", "cards 0 and 1: have the same address 10.0.0.1"},
      {"while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do :; done",
       "hccn_tool -i 0 -ip -g: wrote more than 65536 bytes"},
  };
  for (const auto& wrong : cases) {
    fake_hccn_tool(wrong.tool);
    const Outcome refused = run({"gen", "--server-ip", "h", "--device-num", "[0,2)"});
    EXPECT_EQ(refused.status, 3) << wrong.tool;
    EXPECT_TRUE(has(refused.err, wrong.message)) << refused.err;
    EXPECT_EQ(files(), Words{});
  }
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

}  // namespace
}  // namespace adarun::ranktable
