// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/hostfile.h"

#include <gtest/gtest.h>

#include "tests/launcher/error_of.h"
#include "tests/launcher/hosts/shown.h"

namespace adarun::launcher {
namespace {

TEST(Hostfile, ReadsSlotsDevicesUserAndPort) {
  const char* text =
      "# the cluster\n"
      "node1 slots=2   # eight later\n"
      "\n"
      "node2 devices=3,1 user=me port=2222\r\n"
      "gpu[1-2]\n";
  EXPECT_EQ(shown(parse_hostfile(text, "f")), "node1:0,1,;node2:3,1, user=me port=2222;gpu1:0,;gpu2:0,;");
}

TEST(Hostfile, LeavesDevicesToANode) {
  EXPECT_EQ(shown(parse_hostfile("a slots=auto\nb:gpu user=me\nc slots=cpu slots=2\n", "f")),
            "a:auto0,;b:gpu0, user=me;c:0,1,;");
}

TEST(Hostfile, CountsAHostThatALineNamesTwice) {
  EXPECT_EQ(shown(parse_hostfile("node[1-3,2]\nnode3\n", "f")), "node1:0,;node2:0,1,;node3:0,1,;");
}

TEST(Hostfile, NamesFileAndLineOfWhatItRefuses) {
  for (const char* line : {"a slots=0",
                           "a slots=",
                           "a slots",
                           "a devices=1,1",
                           "a devices=",
                           "a port=70000",
                           "a user=",
                           "a slots=any",
                           "a devices=auto",
                           "a max_slots=x",
                           "a 8",
                           "a:0",
                           "a slots =",
                           "a slots = 2 3",
                           "a = 2",
                           "a slots=4 max_slots=2",
                           "a:4 max_slots=2",
                           "a max-slots=1 devices=0,1",
                           "^a",
                           "g: a[1-2]",
                           "all:",
                           "ssh://a:b",
                           "ssh://",
                           "ftp://a",
                           "ssh://a/b",
                           "ssh://a:22:8",
                           "ok slots=2",
                           "a:2 slots",
                           "a[1-65536] slots=4096",
                           "a[1-2],ok"})
    EXPECT_EQ(error_of([&] { parse_hostfile(std::string("ok\n") + line + "\n", "hosts.txt"); }).substr(0, 12),
              "hosts.txt:2:")
        << line;
  EXPECT_THROW(parse_hostfile("# nothing\n", "f"), Error);
}

TEST(Hostfile, SaysWhatOtherToolsMeanByALine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a slots=4 max_slots=2", "4 slots, where max_slots is 2"},
      {"a 8", "\"8\": wanted slots=8 behind the host"},
      {"^a", "\"^a\" leaves a host out in Open MPI: wanted --exclude a"},
      {"workers: node[1-4]",
       "\"workers:\" is a group of ClusterShell or a key of YAML, wanted lines such as node1 "
       "slots=8; of a group: --hosts \"$(nodeset -f @workers)\""},
      {"me@a:22", "for port 22: ssh://me@a:22, for 22 devices: me@a:0-21"},
      {"10.0.0.1:2222 user=me", "for port 2222: ssh://10.0.0.1:2222, for 2222 devices: 10.0.0.1:0-2221"},
      {"a:22022", "for port 22022: ssh://a:22022"},
      {"[1]", "\"[1]\": a range without a name, or a group of Ansible, wanted [GROUP] of letters and digits"},
      {"[ gpu ] ",
       "\"[ gpu ]\": a range without a name, or a group of Ansible, wanted [GROUP] of letters and digits"},
      {"ftp://a", "\"ftp://a\": wanted ssh://[USER@]HOST[:PORT]"},
  };
  for (const auto& [line, said] : cases)
    EXPECT_EQ(error_of([&, text = line] { parse_hostfile(text, "f"); }), std::string("f:1: ") + said);
}

TEST(Hostfile, SaysHowMachinesOfOneAddressAreToldApart) {
  EXPECT_EQ(
      error_of([] { parse_hostfile("a port=1\nssh://a:2\n", "f"); }),
      "f:2: host \"a\" is named twice, first in line 1; machines of one address: each needs a Host of its "
      "own in ~/.ssh/config");
  EXPECT_EQ(error_of([] { parse_hostfile("a slots=1\na slots=2\n", "f"); }),
            "f:2: host \"a\" is named twice, first in line 1");
}

TEST(Hostfile, ReadsBlanksAroundEqualsAndAddresses) {
  EXPECT_EQ(shown(parse_hostfile("a slots = 2\nb slots= 2 max_slots =4\n  c  user =me port\t=\t22\r\n", "f")),
            "a:0,1,;b:0,1,;c:0, user=me port=22;");
  EXPECT_EQ(shown(parse_hostfile("ssh://me@a:2222 slots=2\nssh://b/\nssh://[fd00::2]:22\nfe80::\n", "f")),
            "a:0,1, user=me port=2222;b:0,;fd00::2:0, port=22;fe80:::0,;");
  EXPECT_EQ(shown(parse_hostfile("a:0-21\n", "f")).size(), std::string("a:;").size() + 10 * 2 + 12 * 3)
      << "MPICH's devices";
}

TEST(Hostfile, ReadsThoseOfMpichOpenMpiAndPbs) {
  EXPECT_EQ(shown(parse_hostfile("node1:2\nnode[2-3]:1\n[fd00::2]:2\n", "f")),
            "node1:0,1,;node2:0,;node3:0,;fd00::2:0,1,;");
  EXPECT_EQ(shown(parse_hostfile("node1 slots=2 max_slots=4\nnode2 slots=1 max-slots=1\n", "f")),
            "node1:0,1,;node2:0,;");
  EXPECT_EQ(shown(parse_hostfile("n2\nn1\nn2\nn2\n", "f")), "n2:0,1,2,;n1:0,;");
}

}  // namespace
}  // namespace adarun::launcher
