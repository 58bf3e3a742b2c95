// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/server_name.h"

#include <gtest/gtest.h>

#include <string>

#include "ranktable/operations/gen.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

TEST(ServerName, IsWhatRealTablesHold) {
  for (const char* name :
       {"10.0.0.2", "fe80::1", "::1", "fe80::1%eth0", "node1", "gpu-07.cluster.example.com", "node_0",
        "_host", "10-0-0-2", "A3_pod.1", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "kn\xc3\xb6t",
        "\xe8\x8a\x82\xe7\x82\xb9-1"})
    EXPECT_TRUE(is_server_name(name)) << name;
}

TEST(ServerName, IsNothingThatAScriptAnOptionOrAPathWouldTakeOtherwise) {
  for (const std::string name : {"",
                                 "a b",
                                 "a\nb",
                                 "a\r",
                                 "a\tb",
                                 "-a",
                                 "--nodelist=x",
                                 ".",
                                 "..",
                                 "../a",
                                 "a/b",
                                 "%h",
                                 "a'b",
                                 "a\"b",
                                 "a`b",
                                 "a$b",
                                 "a;b",
                                 "a|b",
                                 "a&b",
                                 "a<b",
                                 "a>b",
                                 "a(b",
                                 "a{b",
                                 "a[1-2]",
                                 "a*",
                                 "a?",
                                 "a#b",
                                 "a!b",
                                 "a\\b",
                                 "a,b",
                                 "a=b",
                                 "a@b",
                                 "a~",
                                 "a\x1b[2J",
                                 "a\x7f",
                                 "a\xe2\x80\xa8"
                                 "b",
                                 "a\xe2\x80\xae"
                                 "b",
                                 "a\xc2\xa0"
                                 "b",
                                 "a\xc2\x85",
                                 "a\xff"})
    EXPECT_FALSE(is_server_name(name)) << name;
  EXPECT_FALSE(is_server_name(std::string("a\0b", 3)));
}

TEST(ServerName, IsWantedOfTablesThatAreMade) {
  const std::vector<PlainNode> nodes{{"node1\nid", {0}}};
  EXPECT_EQ(error_of([&] { plain(nodes); }),
            "server_id \"node1\\nid\": wanted letters, digits and . _ - : % alone, the first none of . - %");
}

TEST(ControlCharacters, AreThoseThatEndALineOrThatATerminalObeys) {
  for (const std::string text : {"a\nb", "\t", "a\x1b[2J", "a\x7f", "a\xc2\x85", "a\xc2\x9b", "a\xff"})
    EXPECT_TRUE(has_control_characters(text)) << text;
  for (const std::string text : {"", "a b", "caf\xc3\xa9", "\xc2\xa0", "pod/0 (left)", "\xe2\x82\xac"})
    EXPECT_FALSE(has_control_characters(text)) << text;
}

}  // namespace
}  // namespace adarun::ranktable
