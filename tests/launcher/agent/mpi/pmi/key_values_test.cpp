// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>

#include "launcher/agent/mpi/pmi/key_values.h"

namespace adarun::launcher::agent::pmi {
namespace {

TEST(PmiKeyValues, ReachTheOtherNodeByTheLinesThatAreNew) {
  KeyValues here(1'000);
  KeyValues there(1'000);
  EXPECT_EQ(here.put("a", "1"), "");
  EXPECT_EQ(here.put("b", "x=y"), "");
  EXPECT_EQ(there.put("c", "3"), "");
  const std::string all = here.take_new() + there.take_new();
  for (KeyValues* each : {&here, &there}) {
    each->add(all);
    ASSERT_NE(each->find("b"), nullptr);
    EXPECT_EQ(*each->find("b"), "x=y");
    EXPECT_EQ(*each->find("c"), "3");
    EXPECT_EQ(each->find("d"), nullptr);
    EXPECT_EQ(each->take_new(), "");
  }
  EXPECT_EQ(here.put("a", "2"), "");
  EXPECT_EQ(here.take_new(), "a=2\n") << "the later value of a key replaces the earlier one";
}

TEST(PmiKeyValues, LeaveOutWhatIsNoPair) {
  KeyValues values(1'000);
  values.add("nothing\n=1\n\na=1\nb=2");
  EXPECT_EQ(*values.find("a"), "1");
  EXPECT_EQ(*values.find("b"), "2");
  EXPECT_EQ(values.find("nothing"), nullptr);
}

TEST(PmiKeyValues, RefuseWhatIsTooMuch) {
  KeyValues values(20);
  EXPECT_EQ(values.put("", "1"), "invalid_key");
  EXPECT_EQ(values.put("a=b", "1"), "invalid_key");
  EXPECT_EQ(values.put(std::string(KeyValues::max_key_bytes + 1, 'k'), ""), "key_too_long");
  EXPECT_EQ(values.put("k", std::string(KeyValues::max_value_bytes + 1, 'v')), "value_too_long");
  EXPECT_EQ(values.put("k", "0123456789"), "");
  EXPECT_EQ(values.put("l", "0123456789"), "too_much_published_on_this_node");
  EXPECT_EQ(values.find("l"), nullptr);
  EXPECT_EQ(values.put("k", "012345678901234"), "") << "what is replaced no longer counts";
  EXPECT_EQ(values.put("m", ""), "too_much_published_on_this_node");
}

using Ranks = std::vector<std::uint32_t>;

std::vector<protocol::NodeRanks> nodes(const std::vector<Ranks>& ranks_of) {
  std::vector<protocol::NodeRanks> result;
  for (const Ranks& ranks : ranks_of) result.push_back({"n" + std::to_string(result.size()), ranks});
  return result;
}

TEST(PmiMapping, NamesBlocksOfNodesWithEqualRanks) {
  struct Case {
    std::vector<Ranks> ranks_of;
    const char* mapping;
  };
  const Case cases[] = {
      {{{0}}, "(vector,(0,1,1))"},
      {{{0, 1, 2}}, "(vector,(0,1,3))"},
      {{{0, 1}, {2, 3}}, "(vector,(0,2,2))"},
      {{{0}, {1, 2, 3}}, "(vector,(0,1,1),(1,1,3))"},
      {{{0, 1}, {2, 3}, {4}}, "(vector,(0,2,2),(2,1,1))"},
      {{{0, 1}, {}, {2, 3}}, "(vector,(0,2,2))"},
      {{{2, 3}, {0, 1}}, "(vector,(0,2,2))"},
      {{{0, 2, 4}, {1, 3, 5}}, "(vector,(0,2,1))"},
      {{{0, 1, 4, 5}, {2, 3, 6, 7}}, "(vector,(0,2,2))"},
      {{{0, 3}, {1, 2}}, "(vector,(0,1,1),(1,1,2),(0,1,1))"},
  };
  for (const Case& each : cases) EXPECT_EQ(process_mapping(nodes(each.ranks_of)), each.mapping);
}

TEST(PmiMapping, IsEmptyWhereRanksAreMissing) {
  EXPECT_EQ(process_mapping({}), "");
  EXPECT_EQ(process_mapping(nodes({{}, {}})), "");
  EXPECT_EQ(process_mapping(nodes({{0, 2}})), "");
  EXPECT_EQ(process_mapping(nodes({{0, 1}, {1, 2}})), "");
}

// Parses like a client: block by block, and again from the beginning while ranks are left.
Ranks read(const std::string& mapping, std::size_t world) {
  Ranks nodes;
  while (nodes.size() < world)
    for (const char* at = mapping.c_str() + std::string("(vector").size(); *at == ',';) {
      unsigned first = 0;
      unsigned count = 0;
      unsigned size = 0;
      int used = 0;
      if (std::sscanf(at, ",(%u,%u,%u)%n", &first, &count, &size, &used) != 3) return {};
      at += used;
      for (unsigned i = 0; i < count * size && nodes.size() < world; ++i) nodes.push_back(first + i / size);
    }
  return nodes;
}

TEST(PmiMapping, TellsWhichRanksAreTogether) {
  std::uint32_t seed = 1;
  const auto random = [&seed](std::uint32_t below) {
    seed = seed * 1'103'515'245U + 12'345U;
    return (seed >> 16U) % below;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<Ranks> ranks_of(1 + random(5));
    Ranks node_of;
    for (std::uint32_t rank = 0; rank < 1 + random(12); ++rank) {
      node_of.push_back(random(static_cast<std::uint32_t>(ranks_of.size())));
      ranks_of[node_of.back()].push_back(rank);
    }
    const std::string mapping = process_mapping(nodes(ranks_of));
    const Ranks seen = read(mapping, node_of.size());
    ASSERT_EQ(seen.size(), node_of.size()) << mapping;
    for (std::size_t a = 0; a < node_of.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) EXPECT_EQ(seen[a] == seen[b], node_of[a] == node_of[b]) << mapping;
  }
}

}  // namespace
}  // namespace adarun::launcher::agent::pmi
