// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/plain.h"

#include <gtest/gtest.h>

#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

TEST(Plain, NumbersRanksOverTheNodesInTheirOrder) {
  const PlainNode nodes[] = {{"b", {2, 0}}, {"a", {5}}};
  Table wanted;
  wanted.servers = {{"b", "reserve", {{2, "", 0}, {0, "", 1}}}, {"a", "reserve", {{5, "", 2}}}};
  EXPECT_EQ(plain(nodes), wanted);
  EXPECT_TRUE(is_plain(wanted));
}

TEST(Plain, IsWhatATableWithAddressesIsNot) {
  EXPECT_FALSE(is_plain(two_cards_table()));
  EXPECT_FALSE(is_plain(Table{}));
}

// Names of pods in their cluster's DNS are often longer than the 64 characters that HCCL takes.
TEST(Plain, TakesANameOf253CharactersInUtf8) {
  std::string id(252, 'x');
  id += "\xc3\xb6";
  EXPECT_EQ(plain(std::vector<PlainNode>{{id, {0}}}).servers.at(0).server_id, id);
}

TEST(Plain, RefusesWhatNoTableCanHold) {
  const struct {
    std::vector<PlainNode> nodes;
    const char* message;
  } cases[] = {
      {{}, "rank table: no servers, wanted at least one"},
      {{{"a", {}}}, "server a: no devices, wanted at least one"},
      {{{"", {0}}}, "server_id: empty, wanted the name or address of the server"},
      {{{"a", {0}}, {"a", {1}}}, "server a comes twice"},
      {{{"a", {0, 0}}}, "server a: device_id 0 comes twice"},
      {{{"a", {-1}}}, "server a: device_id -1 is negative"},
      {{{std::string(254, 'x'), {0}}}, ": 254 characters, at most 253"},
  };
  for (const auto& wrong : cases)
    EXPECT_NE(error_of([&] { plain(wrong.nodes); }).find(wrong.message), std::string::npos) << wrong.message;
}

}  // namespace
}  // namespace adarun::ranktable
