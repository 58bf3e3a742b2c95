// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/base/error.h"
#include "launcher/hosts/read.h"

namespace adarun::launcher {
namespace {

// A hostfile that is removed with the test.
class HostsOf : public testing::Test {
 protected:
  HostsOf() { std::ofstream(path()) << "node1 slots=2\nnode[2-3] slots=4 user=me\n"; }
  ~HostsOf() override { std::filesystem::remove(path()); }

  static std::string path() { return testing::TempDir() + "hosts." + std::to_string(getpid()); }

  static std::string names(const std::vector<Host>& hosts) {
    std::string text;
    for (const Host& host : hosts) text += host.name + ":" + std::to_string(host.devices.size()) + " ";
    return text;
  }

  static std::string refusal(const std::string& hosts, const std::string& excluded) {
    try {
      without(read_hosts(hosts), excluded);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(HostsOf, AHostfileByNameAndInAList) {
  EXPECT_EQ(names(read_hosts(path())), "node1:2 node2:4 node3:4 ");
  EXPECT_EQ(names(read_hosts("gpu[1-2]:8,@" + path() + ",gpu9")),
            "gpu1:8 gpu2:8 node1:2 node2:4 node3:4 gpu9:1 ");
}

TEST_F(HostsOf, ARangeWithAStepWhichIsNoPath) {
  EXPECT_EQ(names(read_hosts("node[0-4/2]:2")), "node0:2 node2:2 node4:2 ");
  EXPECT_EQ(names(without(read_hosts("node[0-4]:2"), "node[0-4/2]")), "node1:2 node3:2 ");
}

TEST_F(HostsOf, AHostfileWhosePathHasAnAt) {
  const std::string folder = path() + "@corp";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/hosts") << "node1 slots=2\n";
  EXPECT_EQ(names(read_hosts(folder + "/hosts")), "node1:2 ");
  std::filesystem::remove_all(folder);
}

TEST_F(HostsOf, RefusesALostFileAndAHostThatComesTwice) {
  for (const std::string& list : {std::string("/nonexistent/hosts"), std::string("@/nonexistent/hosts"),
                                  std::string("@"), "node1,@" + path(), "@" + path() + ",@" + path()})
    EXPECT_THROW(read_hosts(list), Error) << list;
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
  std::ofstream(path()) << "\n {\"version\": \"1.0\"}";
  EXPECT_EQ(refusal(path(), "a"), path() + ": JSON, and no hostfile (a rank table goes behind -r)");
}

TEST_F(HostsOf, CountsTheDevicesOfAllItemsTogether) {
  const std::string list = "n[1-128]:4096,m[1-128]:4096";  // 2^20, the most that there may be.
  EXPECT_EQ(read_hosts(list).size(), 256U);
  const std::string why = "\": more than 1048576 devices";
  EXPECT_EQ(refusal(list + ",o", "a"), "--hosts \"" + list + ",o" + why);
  EXPECT_EQ(refusal(list + ",@" + path(), "a"), "--hosts \"" + list + ",@" + path() + why);
}

// After the beginning it would be read as "node".
TEST_F(HostsOf, RefusesANameWithACharacterThatEndsIt) {
  std::ofstream(path(), std::ios::binary) << std::string("node\0x slots=2\n", 15);
  try {
    read_hosts(path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              path() + ":1: blanks or control characters in the name of a host or user");
  }
}

TEST_F(HostsOf, RefusesAFileThatNeverEnds) {
  EXPECT_THROW(read_hosts("/dev/zero"), Error);
}

TEST_F(HostsOf, LeavesOutWhatIsExcluded) {
  EXPECT_EQ(names(without(read_hosts("node[1-4]:8"), "node[2-3]")), "node1:8 node4:8 ");
  EXPECT_EQ(names(without(read_hosts("node[3-5]:8"), "@" + path() + ",node5")), "node4:8 ");
  EXPECT_EQ(names(without(read_hosts("node[1-4]:8"), path())), "node4:8 ");
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
  EXPECT_EQ(refusal("node1:4-5,node1:0-1", "a"), "--hosts \"node1:4-5,node1:0-1\"" + twice);
  EXPECT_EQ(
      refusal("[fd00::1],[fd00::1]", "a"),
      "--hosts \"[fd00::1],[fd00::1]\": host \"fd00::1\" is named twice; for all its ranks: [fd00::1]:2");
}

TEST_F(HostsOf, RefusesToExcludeATypedHostThatIsNotThereAndAllOfThem) {
  EXPECT_EQ(refusal("node[1-4]", "nod3"), "--exclude \"nod3\": host \"nod3\" is not among the hosts");
  EXPECT_EQ(refusal("node[1-3]", "@" + path()), "--exclude \"@" + path() + "\": no host is left");
}

}  // namespace
}  // namespace adarun::launcher
