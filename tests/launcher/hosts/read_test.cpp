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

TEST_F(HostsOf, RefusesALostFileAndAHostThatComesTwice) {
  for (const std::string& list : {std::string("/nonexistent/hosts"), std::string("@/nonexistent/hosts"),
                                  std::string("@"), "node1,@" + path(), "@" + path() + ",@" + path()})
    EXPECT_THROW(read_hosts(list), Error) << list;
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

TEST_F(HostsOf, RefusesToExcludeATypedHostThatIsNotThereAndAllOfThem) {
  EXPECT_EQ(refusal("node[1-4]", "nod3"), "--exclude \"nod3\": host \"nod3\" is not among the hosts");
  EXPECT_EQ(refusal("node[1-3]", "@" + path()), "--exclude \"@" + path() + "\": no host is left");
}

}  // namespace
}  // namespace adarun::launcher
