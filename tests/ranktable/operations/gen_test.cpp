// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/gen.h"

#include <gtest/gtest.h>

#include "ranktable/write.h"
#include "tests/ranktable/tables.h"

namespace adarun::ranktable {
namespace {

CardAddresses addresses_of(int cards) {
  CardAddresses addresses;
  for (int card = 0; card < cards; ++card) addresses[card] = "10.10.100." + std::to_string(10 + card);
  return addresses;
}

GenOptions options_for(DeviceRange range, std::vector<int> visible = {}) {
  return {range, std::move(visible), "10.0.0.2", Rings::of_four};
}

TEST(Gen, GivesTheBytesAndTheNameOfTheReference) {
  const GenOptions options = options_for({0, 2});
  EXPECT_EQ(write(generate(options, addresses_of(8))), two_cards);
  EXPECT_EQ(file_name(options), "hccl_2p_01_10.0.0.2.json");
}

TEST(Gen, NumbersRanksFromZeroInTheUpperRing) {
  const Table table = generate(options_for({4, 8}), addresses_of(8));
  const std::vector<Device> wanted = {
      {4, "10.10.100.14", 0}, {5, "10.10.100.15", 1}, {6, "10.10.100.16", 2}, {7, "10.10.100.17", 3}};
  EXPECT_EQ(table.servers.at(0).devices, wanted);
  EXPECT_EQ(file_name(options_for({4, 8})), "hccl_4p_4567_10.0.0.2.json");
}

TEST(Gen, TakesPhysicalIdsAndTheirAddressesFromTheVisibleDevices) {
  const GenOptions options = options_for({0, 4}, {4, 5, 7, 6});
  const std::vector<Device> wanted = {
      {4, "10.10.100.14", 0}, {5, "10.10.100.15", 1}, {7, "10.10.100.17", 2}, {6, "10.10.100.16", 3}};
  EXPECT_EQ(generate(options, addresses_of(8)).servers.at(0).devices, wanted);
  EXPECT_EQ(file_name(options), "hccl_4p_0123_10.0.0.2.json");
}

TEST(Gen, TakesSixteenDevicesWhereTheyAre) {
  EXPECT_EQ(device_count(generate(options_for({0, 16}), addresses_of(16))), 16U);
  EXPECT_EQ(file_name(options_for({0, 16})), "hccl_16p_0123456789101112131415_10.0.0.2.json");
  EXPECT_EQ(error_of([] { generate(options_for({0, 16}), addresses_of(8)); }), "card 8: has no address");
}

TEST(Gen, TakesRangesWithinARingOrWholeServers) {
  for (const DeviceRange range :
       {DeviceRange{0, 8}, {0, 4}, {4, 8}, {0, 1}, {5, 7}, {8, 12}, {8, 16}, {0, 16}})
    EXPECT_NO_THROW(physical_devices(options_for(range))) << to_string(range);
  for (const DeviceRange range : {DeviceRange{3, 6}, {0, 5}, {1, 8}, {3, 5}, {0, 7}, {4, 12}, {0, 12}})
    EXPECT_NE(error_of([&] {
                physical_devices(options_for(range));
              }).find("must be in the same group of [0,4] or [4,8]"),
              std::string::npos)
        << to_string(range);
}

TEST(Gen, TakesListsWithinARingOfWholeServersOrOfTheSetsOfFour) {
  const auto rings_of = [](std::vector<int> listed) {
    GenOptions options = options_for({0, 8});
    options.listed = std::move(listed);
    return physical_devices(options);
  };
  const std::vector<std::vector<int>> taken = {
      {3},          {0, 1},       {7, 4},       {5, 6, 7},    {0, 1, 2, 3}, {0, 1, 4, 5},
      {6, 4, 2, 0}, {0, 3, 4, 7}, {1, 2, 5, 6}, {1, 3, 5, 7}, {2, 3, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}};
  for (const std::vector<int>& listed : taken) EXPECT_EQ(rings_of(listed), listed);
  for (const std::vector<int>& listed :
       {std::vector{3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3, 4}, {0, 8}, {8, 9, 12, 13}, {0, 1, 2, 3, 4, 5, 6, 8}})
    EXPECT_NE(error_of([&] { rings_of(listed); }).find("must be in the same group of [0,4] or [4,8]"),
              std::string::npos);
}

TEST(Gen, NamesTheFileOfAListByItsIds) {
  GenOptions options = options_for({0, 8});
  options.listed = {6, 4, 2, 0};
  EXPECT_EQ(file_name(options), "hccl_4p_6420_10.0.0.2.json");
  const Table table = generate(options, addresses_of(8));
  EXPECT_EQ(table.servers.at(0).devices.at(1), (Device{4, "10.10.100.14", 1}));
}

TEST(Gen, LiftsTheRingsOfLaterGenerations) {
  GenOptions options = options_for({0, 6});
  options.rings = Rings::none;
  EXPECT_EQ(device_count(generate(options, addresses_of(8))), 6U);
}

TEST(Gen, WritesIpv6InItsUsualForm) {
  EXPECT_EQ(generate(options_for({0, 1}), {{0, "FE80::0001"}}).servers.at(0).devices.at(0).device_ip,
            "fe80::1");
}

TEST(Gen, RefusesCardsThatNoTableCanHold) {
  const struct {
    CardAddresses addresses;
    const char* message;
  } cases[] = {
      {{{0, "10.0.0.1"}}, "card 1: has no address"},
      {{{0, "10.0.0.1"}, {1, ""}}, "card 1: has no address"},
      {{{0, "10.0.0.1"}, {1, "-.-.-.-"}}, "card 1: has no address"},
      {{{0, " 10.0.0.1"}, {1, "10.0.0.2"}}, "card 0: found \" 10.0.0.1\", wanted an IPv4 or IPv6 address"},
      {{{0, "10.0.0.1"}, {1, "10.0.0.1"}}, "cards 0 and 1: have the same address 10.0.0.1"},
      {{{0, "fe80::1"}, {1, "FE80:0::1"}}, "cards 0 and 1: have the same address fe80::1"},
      {{{0, "10.0.0.1"}, {1, "fe80::1"}},
       "card 1: has fe80::1, wanted one family of addresses, IPv4 or IPv6, for all cards"},
      {{{0, "fe80::1"}, {1, "10.0.0.1"}},
       "card 1: has 10.0.0.1, wanted one family of addresses, IPv4 or IPv6, for all cards"},
  };
  for (const auto& wrong : cases)
    EXPECT_EQ(error_of([&] { generate(options_for({0, 2}), wrong.addresses); }), wrong.message);
}

TEST(Gen, RefusesTooFewVisibleDevices) {
  EXPECT_EQ(error_of([] {
              physical_devices(options_for({0, 4}, {4, 5, 6}));
            }),
            "device_num [0,4): visible_devices lists 3 devices, wanted at least 4");
}

TEST(Gen, RefusesAServerIdThatNoTableOrFileNameCanHold) {
  GenOptions options = options_for({0, 2});
  options.server_id = "";
  EXPECT_NE(error_of([&] { generate(options, addresses_of(8)); }).find("server_id: empty"),
            std::string::npos);
  options.server_id = "a/b";
  EXPECT_EQ(error_of([&] { file_name(options); }), "server_id \"a/b\": cannot be part of a file name");
}

TEST(GenPlain, HasNoAddressesAndKnowsNoRings) {
  const Table table = generate_plain(options_for({0, 3}, {5, 0, 2, 9}));
  const std::vector<Device> wanted = {{5, "", 0}, {0, "", 1}, {2, "", 2}};
  EXPECT_EQ(table.servers.at(0).devices, wanted);
  EXPECT_EQ(device_count(generate_plain(options_for({0, 6}))), 6U);
}

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
