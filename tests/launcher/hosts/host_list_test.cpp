// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "launcher/hosts/host_list.h"
#include "launcher/hosts/name_ranges.h"
#include "tests/launcher/error_of.h"
#include "tests/launcher/hosts/shown.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

// A hostfile that is removed with the test.
class HostsOf : public testing::Test {
 protected:
  static std::string names(const std::vector<Host>& hosts) {
    std::string text;
    for (const Host& host : hosts) text += host.name + ":" + std::to_string(host.devices.size()) + " ";
    return text;
  }

  static std::string refusal(const std::string& hosts, const std::string& excluded) {
    return error_of([&] { without(read_hosts(hosts), excluded); });
  }

  test::ScratchFolder folder_;
  const std::string file_ = folder_.write("hosts", "node1 slots=2\nnode[2-3] slots=4 user=me\n");
};

TEST_F(HostsOf, AHostfileByNameAndInAList) {
  EXPECT_EQ(names(read_hosts(file_)), "node1:2 node2:4 node3:4 ");
  EXPECT_EQ(names(read_hosts("gpu[1-2]:8,@" + file_ + ",gpu9")),
            "gpu1:8 gpu2:8 node1:2 node2:4 node3:4 gpu9:1 ");
}

TEST_F(HostsOf, ARangeWithAStepWhichIsNoPath) {
  EXPECT_EQ(names(read_hosts("node[0-4/2]:2")), "node0:2 node2:2 node4:2 ");
  EXPECT_EQ(names(without(read_hosts("node[0-4]:2"), "node[0-4/2]")), "node1:2 node3:2 ");
}

TEST_F(HostsOf, AHostfileWhosePathHasAnAt) {
  EXPECT_EQ(names(read_hosts(folder_.write("ada@corp/hosts", "node1 slots=2\n"))), "node1:2 ");
}

TEST_F(HostsOf, RefusesALostFileAndAHostThatComesTwice) {
  for (const std::string& list : {std::string("/nonexistent/hosts"), std::string("@/nonexistent/hosts"),
                                  std::string("@"), "node1,@" + file_, "@" + file_ + ",@" + file_})
    EXPECT_THROW(read_hosts(list), Error) << list;
}

TEST_F(HostsOf, AFileWithAByteOrderMarkOrInUtf16) {
  using namespace std::string_literals;
  folder_.write("hosts", "\xef\xbb\xbfnode1 slots=2\r\n");
  EXPECT_EQ(names(read_hosts(file_)), "node1:2 ");
  folder_.write("hosts", "\xff\xfen\0001\0\r\0\n\0"s);
  EXPECT_EQ(names(read_hosts(file_)), "n1:1 ");
  folder_.write("hosts", "\xfe\xff\0n\0002\0\n"s);
  EXPECT_EQ(names(read_hosts(file_)), "n2:1 ");
}

TEST_F(HostsOf, RefusesAFileThatIsNoHostfileByItsName) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> cases[] = {
      {"\x1f\x8b\x08\0\0\0"s, ": a gzip archive, and no hostfile; unpack it: tar -xzf FILE, or gunzip FILE"},
      {"n\0001\0\n\0n\0002\0\n\0n\0003\0\n\0"s,
       ": UTF-16 text, and no hostfile; iconv -f UTF-16 -t UTF-8 FILE > NEW"},
      {"apiVersion: v1\nkind: Config\nclusters:\n", ": a kubeconfig, and no hostfile"},
      {"[2026-11-30 01:02:03,123] torch.distributed.run: x\n", ": a log, and no hostfile"},
      {"Host a\n  HostName b\n",
       ": an ssh_config, and no hostfile; its hosts by name: --ssh-config FILE --hosts NAME,NAME"},
      {"- hosts: all\n  tasks:\n", ": a playbook of Ansible, and no hostfile"},
      {"- hosts: all\n  tasks:\n  - debug: msg=a ansible_host=b\n",
       ": a playbook of Ansible, and no hostfile"},
      {"[\"node1\",\"node2\"]", ": JSON, and no hostfile (a rank table goes behind -r)"},
      {"NodeName=node[1-4] CPUs=8\n",
       ": a slurm.conf, and no hostfile; its nodes by name: --hosts node[1-4]:8"},
      {"# mine\n10.0.0.1\tnode1\n",
       ": a file of addresses as /etc/hosts, and no hostfile; its hosts by name: --hosts NAME,NAME"},
  };
  for (const auto& [text, said] : cases) {
    folder_.write("hosts", text);
    EXPECT_EQ(refusal(file_, "a"), file_ + said);
  }
}

TEST_F(HostsOf, AFileBehindACaretAsPdshWritesIt) {
  EXPECT_EQ(names(read_hosts("^" + file_ + ",gpu9")), "node1:2 node2:4 node3:4 gpu9:1 ");
  EXPECT_EQ(names(without(read_hosts("node[1-4]:8"), "^" + file_)), "node4:8 ");
}

TEST_F(HostsOf, SaysHowAGroupOfClushIsGiven) {
  EXPECT_EQ(refusal("@workers", "a"),
            "--hosts \"@workers\": no file workers in this folder; for a group of clush: \"$(nodeset -f "
            "@workers)\"");
}

TEST_F(HostsOf, RefusesAMachineWithAndWithoutItsDomain) {
  EXPECT_EQ(
      refusal("node1:2,node2,node1.cluster:2", "a"),
      "--hosts \"node1:2,node2,node1.cluster:2\": hosts \"node1\" and \"node1.cluster\" are one machine by "
      "their names; two machines: write both with their domains");
  EXPECT_EQ(names(read_hosts("node1.a,node1.b,node10,10.0.0.1,node.c")),
            "node1.a:1 node1.b:1 node10:1 10.0.0.1:1 node.c:1 ");
}

TEST_F(HostsOf, SaysHowMachinesOfOneAddressAreToldApart) {
  folder_.write(
      "hosts",
      "[gpu]\na ansible_host=10.0.0.1 ansible_port=2201\nb ansible_host=10.0.0.1 ansible_port=2202\n");
  const std::string said =
      "host \"10.0.0.1\" is named twice; machines of one address: each needs a Host of its own in "
      "~/.ssh/config";
  EXPECT_EQ(refusal(file_, "a"), "--hosts \"" + file_ + "\": " + said);
  EXPECT_EQ(refusal("ssh://10.0.0.1:1,10.0.0.1", "a"), "--hosts \"ssh://10.0.0.1:1,10.0.0.1\": " + said);
}

TEST_F(HostsOf, AnInventoryOrAGroupOfOne) {
  folder_.write("hosts", "[gpu]\nnode[1:2]\n[cpu]\nnode9\n");
  EXPECT_EQ(refusal(file_, "a"), file_ + ": an inventory with the groups cpu, gpu: wanted one, such as " +
                                     file_ + ":cpu, or " + file_ + ":all");
  EXPECT_EQ(names(read_hosts(file_ + ":gpu")), "node1:1 node2:1 ");
  EXPECT_EQ(names(read_hosts("@" + file_ + ":cpu,node3:2")), "node9:1 node3:2 ");
  EXPECT_EQ(names(read_hosts(file_ + ":all")), "node1:1 node2:1 node9:1 ");
  EXPECT_EQ(refusal(file_ + ":x", "a"), file_ + ": no group \"x\" in this inventory, which has cpu, gpu");
  folder_.write("hosts", "[8gpu]\nnode1\n[cpu]\nnode9\n");
  EXPECT_EQ(names(read_hosts(file_ + ":8gpu")), "node1:1 ");
  folder_.write("hosts", "node1\n");
  EXPECT_EQ(refusal(file_ + ":x", "a"), file_ + ": no inventory of Ansible, wanted one before \":x\"");
}

// The name of Ansible's file, and of a group that is a kind of devices too.
TEST_F(HostsOf, AGroupOfAnInventoryInThisFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  folder_.write("hosts", "[gpu]\nnode[1:2]\n[cpu]\nnode9\n");
  std::filesystem::current_path(std::filesystem::path(file_).parent_path());
  EXPECT_EQ(names(read_hosts("hosts:gpu")), "node1:1 node2:1 ");
  EXPECT_EQ(names(read_hosts("@hosts:cpu,node3:2")), "node9:1 node3:2 ");
  EXPECT_EQ(names(without(read_hosts("node[1-3]"), "^hosts:gpu")), "node3:1 ");
  EXPECT_EQ(names(read_hosts("hosts:2")), "hosts:2 ");
  EXPECT_EQ(refusal("hosts:npu", "a"), "hosts: no group \"npu\" in this inventory, which has cpu, gpu");
  folder_.write("hosts", "node1\n");
  EXPECT_EQ(shown(read_hosts("hosts:gpu")), "hosts:gpu0,;");
  std::filesystem::current_path(before);
}

TEST_F(HostsOf, SaysHowRangesAreWritten) {
  EXPECT_EQ(refusal("node{1,2}:2", "a"), "--hosts \"node{1,2}:2\": ranges have brackets: node[1,2]:2");
}

TEST_F(HostsOf, SaysThatAFileIsMissingOrIsNoHostfile) {
  EXPECT_EQ(refusal("nohosts.txt", "a"), "--hosts \"nohosts.txt\": nohosts.txt: no such file in this folder");
  EXPECT_EQ(refusal("node1,hostfile", "a"),
            "--hosts \"node1,hostfile\": hostfile: no such file in this folder");
  EXPECT_EQ(names(read_hosts("txt:2,hosts.example:2")), "txt:2 hosts.example:2 ");
  EXPECT_EQ(refusal("@nohosts.txt", "a").find("no such file in this folder"), std::string::npos);
  folder_.write("hosts", "\n {\"version\": \"1.0\"}");
  EXPECT_EQ(refusal(file_, "a"), file_ + ": JSON, and no hostfile (a rank table goes behind -r)");
}

TEST_F(HostsOf, CountsTheDevicesOfAllItemsTogether) {
  const std::string list = "n[1-128]:4096,m[1-128]:4096";  // 2^20, the most that there may be.
  EXPECT_EQ(read_hosts(list).size(), 256U);
  const std::string why = "\": more than 1048576 devices";
  EXPECT_EQ(refusal(list + ",o", "a"), "--hosts \"" + list + ",o" + why);
  EXPECT_EQ(refusal(list + ",@" + file_, "a"), "--hosts \"" + list + ",@" + file_ + why);
}

// After the beginning it would be read as "node".
TEST_F(HostsOf, RefusesANameWithACharacterThatEndsIt) {
  folder_.write("hosts", std::string("node\0x slots=2\n", 15));
  EXPECT_EQ(error_of([this] { read_hosts(file_); }),
            file_ + ":1: blanks or control characters in the name of a host or user");
}

TEST_F(HostsOf, RefusesAFileThatNeverEnds) {
  EXPECT_THROW(read_hosts("/dev/zero"), Error);
}

TEST_F(HostsOf, LeavesOutWhatIsExcluded) {
  EXPECT_EQ(names(without(read_hosts("node[1-4]:8"), "node[2-3]")), "node1:8 node4:8 ");
  EXPECT_EQ(names(without(read_hosts("node[3-5]:8"), "@" + file_ + ",node5")), "node4:8 ");
  EXPECT_EQ(names(without(read_hosts("node[1-4]:8"), file_)), "node4:8 ");
}

TEST_F(HostsOf, LeavesOutAHostByItsNameWithOrWithoutTheDomain) {
  EXPECT_EQ(names(without(read_hosts("node1.a:2,node2.a,node3"), "node1,node3.a")), "node2.a:1 ");
  EXPECT_EQ(names(without(read_hosts("node1.a,node1.b,10.0.0.1"), "node1.b")), "node1.a:1 10.0.0.1:1 ");
  EXPECT_EQ(names(without(read_hosts("node1.b,node1.a,node2"), "node1,node1.b")), "node2:1 ");
  EXPECT_EQ(refusal("node1.a,node1.b", "node1"),
            "--exclude \"node1\": host \"node1\" may be node1.a or node1.b, wanted the name with its domain");
  EXPECT_EQ(refusal("node1.a,10.0.0.1", "node2.a"),
            "--exclude \"node2.a\": host \"node2.a\" is not among the hosts");
  EXPECT_EQ(refusal("node1.a,10.0.0.1", "10"), "--exclude \"10\": host \"10\" is not among the hosts");
}

TEST_F(HostsOf, SaysHowAVariableIsPassedOn) {
  ASSERT_EQ(setenv("HOSTSOFTEST", "1", 1), 0);
  EXPECT_EQ(refusal("node[1-4]", "HOSTSOFTEST"),
            "--exclude \"HOSTSOFTEST\": host \"HOSTSOFTEST\" is not among the hosts; for the variable: --env "
            "HOSTSOFTEST");
  EXPECT_EQ(names(without(read_hosts("HOSTSOFTEST,b"), "HOSTSOFTEST")), "b:1 ");
  ASSERT_EQ(unsetenv("HOSTSOFTEST"), 0);
  EXPECT_EQ(refusal("node[1-4]", "HOSTSOFTEST"),
            "--exclude \"HOSTSOFTEST\": host \"HOSTSOFTEST\" is not among the hosts");
}

TEST_F(HostsOf, SaysHowAHostHasSeveralRanks) {
  const std::string twice = ": host \"node1\" is named twice";
  EXPECT_EQ(refusal("node1,node1", "a"), "--hosts \"node1,node1\"" + twice + "; for all its ranks: node1:2");
  EXPECT_EQ(refusal("node1,node2,node1,node1:2", "a"),
            "--hosts \"node1,node2,node1,node1:2\"" + twice + "; for all its ranks: node1:4");
  EXPECT_EQ(refusal("node1:11,node1:11", "a"),
            "--hosts \"node1:11,node1:11\"" + twice + "; for all its ranks: node1:0-21");
  EXPECT_EQ(refusal("node1:4-5,node1:0-1", "a"), "--hosts \"node1:4-5,node1:0-1\"" + twice);
  EXPECT_EQ(
      refusal("[fd00::1],[fd00::1]", "a"),
      "--hosts \"[fd00::1],[fd00::1]\": host \"fd00::1\" is named twice; for all its ranks: [fd00::1]:2");
}

TEST_F(HostsOf, RefusesToExcludeATypedHostThatIsNotThereAndAllOfThem) {
  EXPECT_EQ(refusal("node[1-4]", "nod3"), "--exclude \"nod3\": host \"nod3\" is not among the hosts");
  EXPECT_EQ(refusal("node[1-3]", "@" + file_), "--exclude \"@" + file_ + "\": no host is left");
}

TEST(HostList, ReadsNamesRangesAndCounts) {
  const std::pair<const char*, const char*> cases[] = {
      {"a", "a:0,;"},
      {"a:2,b", "a:0,1,;b:0,;"},
      {" a:2, me@b ", "a:0,1,;b:0, user=me;"},
      {"node[1-3]:1", "node1:0,;node2:0,;node3:0,;"},
      {"n[08-10,12]", "n08:0,;n09:0,;n10:0,;n12:0,;"},
      {"n[0-7/3,9]", "n0:0,;n3:0,;n6:0,;n9:0,;"},
      {"n[08-11/3]", "n08:0,;n11:0,;"},
      {"r[1-2]c[1-2]", "r1c1:0,;r1c2:0,;r2c1:0,;r2c2:0,;"},
      {"10.0.0.1:2", "10.0.0.1:0,1,;"},
      {"[fe80::1]:2", "fe80::1:0,1,;"},
      {"fe80::1", "fe80::1:0,;"},
      {"[fd00::2:8],[fd00::2]:2", "fd00::2:8:0,;fd00::2:0,1,;"},
      {"node[1-2]:auto,me@b:cpu", "node1:auto0,;node2:auto0,;b:cpu0, user=me;"},
      {"[fd00::2]:gpu,c:npu", "fd00::2:gpu0,;c:npu0,;"},
      {"node1:4-5,me@node2:0-1", "node1:4,5,;node2:0,1, user=me;"},
      {"ssh://me@node1:2222,b:2", "node1:0, user=me port=2222;b:0,1,;"},
      {"ssh://[fd00::2]:22,ssh://node[1-2]/", "fd00::2:0, port=22;node1:0,;node2:0,;"},
  };
  for (const auto& [text, wanted] : cases) EXPECT_EQ(shown(parse_host_list(text)), wanted) << text;
}

TEST(HostList, RefusesWhatMakesNoSense) {
  const char* const texts[] = {"",
                               ",",
                               "a,,b",
                               "a:0",
                               "a:-1",
                               "a:x",
                               "a:",
                               ":8",
                               "a b",
                               "a\n",
                               "a\x01",
                               "me \t@a",
                               "a[",
                               "a]",
                               "a[2-1]",
                               "a[x]",
                               "a[1-]",
                               "a[1-4/0]",
                               "a[1-4/]",
                               "a[1/2]",
                               "a[1-4/x]",
                               "a[]",
                               "a,a",
                               "a[1-2],a2",
                               "a[1-99999999]",
                               "a[1-65536][1-65536]",
                               "a[1-4294967295]",
                               "a:99999",
                               "a:3-2",
                               "a:1-4096",
                               "a:4-",
                               "a:GPU",
                               "a:any",
                               "a:auto,a:auto",
                               "a:1-2-3",
                               "a[1-65536]:4096",
                               "-oProxyCommand=x",
                               "me@-a",
                               ".a",
                               "a/../b",
                               "a#b",
                               "a;b",
                               "a$b",
                               "a'b",
                               "a[1-2]\"",
                               "-l@a",
                               "me#1@a",
                               "m;e@a",
                               "a\xe2\x80\xa8"};
  for (const char* text : texts) EXPECT_THROW(parse_host_list(text), Error) << text;
}

TEST(HostList, SaysHowToWriteWhatWasMeant) {
  const std::pair<const char*, const char*> cases[] = {
      {"node{1..4}", "ranges have brackets: node[1-4]"},
      {"*", "no patterns: wanted names and ranges such as node[1-4]"},
      {"10.0.0.1:22:8", "wanted HOST:DEVICES; a port goes into a hostfile (port=22) or behind --port"},
      {"me@node1:22", "for port 22: ssh://me@node1:22, for 22 devices: me@node1:0-21"},
      {"node[1-2]:2222", "for port 2222: ssh://node[1-2]:2222, for 2222 devices: node[1-2]:0-2221"},
      {"a:22022", "for port 22022: ssh://a:22022"},
      {"node1 node2:2", "a blank between hosts, wanted a comma: node1,node2:2"},
      {"node1\nnode2\nnode3", "a blank between hosts, wanted a comma: node1,node2"},
      {"node[1-2, 5]:8", "a blank in brackets, wanted node[1-2,5]:8"},
      {"node1 slots=8", "slots=8 belongs into a hostfile, wanted node1:8"},
      {"node1 devices=0-3 slots=8", "devices=0-3 belongs into a hostfile, wanted node1:0-3"},
      {"node1 port=22", "port=22 belongs into a hostfile"},
      {"http://a", "\"http://a\": wanted ssh://[USER@]HOST[:PORT]"},
      {"ssh://a:22:8", "\"ssh://a:22:8\": wanted ssh://[USER@]HOST[:PORT]"},
      {"me@fd00::2:8", "wanted [fd00::2:8] for this address, or [fd00::2]:8 for 8 devices"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(error_of([&] { parse_host_list(each.first); }),
              "--hosts \"" + std::string(each.first) + "\": " + each.second);
}

std::string refusal_of(const std::string& names) {
  return error_of([&] { expand_names(names, "list"); });
}

// What a text makes of the memory and the stack does not follow from what it says.
TEST(HostList, BoundsWhatBracketsMake) {
  EXPECT_EQ(expand_names("r[1-2]c[08-09]x", "list"),
            (std::vector<std::string>{"r1c08x", "r1c09x", "r2c08x", "r2c09x"}));
  EXPECT_EQ(expand_names("n[0-65535]", "list").size(), 65536U);
  EXPECT_EQ(refusal_of("n[0-65536]"), "list: more than 65536 hosts");
  EXPECT_EQ(refusal_of("n[0-999]m[0-999]"), "list: more than 65536 hosts");
  EXPECT_EQ(refusal_of("n[" + std::string(60'000, '0') + "1-65536]"),
            "list: numbers of 60001 digits, at most 255 are a name");
  EXPECT_EQ(refusal_of("n[" + std::string(254, '0') + "1-65000]"), "list: a name of more than 255 bytes");
  EXPECT_EQ(expand_names("n[" + std::string(253, '0') + "1]", "list")[0].size(), 255U);
  std::string pairs;
  for (int i = 0; i < 200'000; ++i) pairs += "[1]";
  EXPECT_EQ(refusal_of(pairs), "list: a name of more than 255 bytes");
  EXPECT_EQ(refusal_of(std::string(200'000, '[') + "1" + std::string(200'000, ']')).substr(0, 10),
            "list: \"[[[");
  EXPECT_EQ(refusal_of("n[1-2]x]"), "list: \"x]\": a bracket without its partner");
}

}  // namespace
}  // namespace adarun::launcher
