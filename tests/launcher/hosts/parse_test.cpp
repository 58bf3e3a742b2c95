// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/base/error.h"
#include "launcher/hosts/parse.h"

namespace adarun::launcher {
namespace {

std::string shown(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    text += host.name + ":";
    for (const int device : host.devices) text += std::to_string(device) + ",";
    if (!host.user.empty()) text += " user=" + host.user;
    if (host.port != 0) text += " port=" + std::to_string(host.port);
    text += ";";
  }
  return text;
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
  };
  for (const auto& [text, wanted] : cases) EXPECT_EQ(shown(parse_host_list(text)), wanted) << text;
}

TEST(HostList, RefusesWhatMakesNoSense) {
  for (const char* text : {"",
                           ",",
                           "a,,b",
                           "a:0",
                           "a:-1",
                           "a:x",
                           "a:",
                           ":8",
                           "a b",
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
                           "a\xe2\x80\xa8"})
    EXPECT_THROW(parse_host_list(text), Error) << text;
}

TEST(Hostfile, ReadsSlotsDevicesUserAndPort) {
  const char* text =
      "# the cluster\n"
      "node1 slots=2   # eight later\n"
      "\n"
      "node2 devices=3,1 user=me port=2222\r\n"
      "gpu[1-2]\n";
  EXPECT_EQ(shown(parse_hostfile(text, "f")), "node1:0,1,;node2:3,1, user=me port=2222;gpu1:0,;gpu2:0,;");
}

TEST(Hostfile, NamesFileAndLineOfWhatItRefuses) {
  for (const char* line : {"a slots=0", "a slots=", "a slots", "a devices=1,1", "a devices=", "a port=70000",
                           "a user=", "a max_slots=4", "a 8", "a[1-65536] slots=4096", "ok", "a[1-2],ok"}) {
    try {
      parse_hostfile(std::string("ok\n") + line + "\n", "hosts.txt");
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 12), "hosts.txt:2:") << error.what();
    }
  }
  EXPECT_THROW(parse_hostfile("# nothing\n", "f"), Error);
}

}  // namespace
}  // namespace adarun::launcher
