// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "launcher/probe/card_sources.h"
#include "tests/launcher/error_of.h"
#include "tests/launcher/probe/fake_node.h"

namespace adarun::launcher {
namespace {

CardFacts hold(FakeNode& node, const CardQuery& questions) {
  CardProbe probe(questions);
  node.hold(probe);
  return probe.facts();
}

const std::vector<int> two{0, 1};

TEST(CardsAmong, KnowsTheDriversNames) {
  EXPECT_EQ(
      cards_among({"davinci10", "davinci2", "davinci_manager", "davinci", "null", "davinci2x", "xdavinci1"}),
      (std::vector<int>{2, 10}));
}

TEST(CardProbe, AsksForAllThatTheNodeHas) {
  FakeNode node{{{"hccn_tool -i 0 -ip -g", "ipaddr:10.0.0.1"}, {"hccn_tool -i 5 -ip -g", "ipaddr:10.0.0.6"}},
                {},
                {"davinci5", "davinci0", "davinci_manager"},
                {}};
  const CardFacts facts = hold(node, questions({}, std::nullopt));
  EXPECT_EQ(facts.cards, (std::vector<int>{0, 5}));
  EXPECT_EQ(addresses(facts, {}), (ranktable::CardAddresses{{0, "10.0.0.1"}, {5, "10.0.0.6"}}));
  FakeNode bare;
  EXPECT_NE(error_of([&] { hold(bare, questions({}, std::nullopt)); }).find("no NPU: /dev/davinci0"),
            std::string::npos);
}

TEST(CardProbe, LooksForTheToolWhereTheDriverPutsIt) {
  const std::string tool = "/usr/local/Ascend/driver/tools/hccn_tool";
  FakeNode node{
      {{tool + " -i 0 -ip -g", "ipaddr:10.0.0.1"}, {tool + " -i 1 -ip -g", "ipaddr:10.0.0.2"}}, {}, {}, {}};
  const CardFacts facts = hold(node, questions({}, two));
  EXPECT_EQ(facts.tool, tool);
  EXPECT_EQ(addresses(facts, {}), (ranktable::CardAddresses{{0, "10.0.0.1"}, {1, "10.0.0.2"}}));
}

TEST(CardProbe, AsksForIpv6OfTheCardsThatNeedIt) {
  FakeNode node{{{"t -i 0 -ip -g", "ipaddr:10.0.0.1"},
                 {"t -i 1 -ip -g", "ipaddr:-.-.-.-"},
                 {"t -i 1 -ip -inet6 -g", "hccn_tool: unknown option: inet6"}},
                {},
                {},
                {}};
  CardSources sources;
  sources.hccn_tool = "t";
  CardFacts facts = hold(node, questions(sources, two));
  EXPECT_EQ(node.asked, (std::vector<std::string>{"t -i 0 -ip -g", "t -i 1 -ip -g", "t -i 1 -ip -inet6 -g"}));
  EXPECT_EQ(error_of([&] { addresses(facts, sources); }), "t: card 1: has no address");
  node.programs["t -i 1 -ip -inet6 -g"] = "ipaddr:FE80::1";
  EXPECT_EQ(addresses(hold(node, questions(sources, two)), sources).at(1), "fe80::1");
}

TEST(CardSources, AreTakenInTheirOrder) {
  const std::string conf = "address_0=10.1.0.0\naddress_1=10.1.0.1\n";
  FakeNode node{{{"hccn_tool -i 0 -ip -g", "ipaddr:10.0.0.0"}, {"hccn_tool -i 1 -ip -g", "no answer"}},
                {{"/etc/hccn.conf", conf}, {"my.conf", "address_0=10.2.0.0\naddress_1=10.2.0.1\n"}},
                {},
                {}};
  EXPECT_EQ(addresses(hold(node, questions({}, two)), {}).at(0),
            "10.1.0.0");  // The tool prints nothing for card 1.
  CardSources own_conf;
  own_conf.hccn_conf = "my.conf";
  node.asked.clear();
  EXPECT_EQ(addresses(hold(node, questions(own_conf, two)), own_conf).at(0), "10.2.0.0");
  EXPECT_EQ(node.asked, std::vector<std::string>{"my.conf"});
  CardSources own_tool;
  own_tool.hccn_tool = "hccn_tool";
  EXPECT_EQ(error_of([&] { addresses(hold(node, questions(own_tool, two)), own_tool); }),
            "hccn_tool: is not there, or says nothing of a card");
}

TEST(CardSources, SayWhyNeitherGivesAnAddress) {
  FakeNode bare;
  EXPECT_EQ(
      error_of([&] { addresses(hold(bare, questions({}, two)), {}); }),
      "hccn_tool: is not there, or says nothing of a card; /etc/hccn.conf: No such file or directory (for a "
      "server without NPUs: --plain)");
  FakeNode twice{{}, {{"/etc/hccn.conf", "address_0=1.2.3.4\naddress_0=1.2.3.5\n"}}, {}, {}};
  EXPECT_NE(
      error_of([&] { addresses(hold(twice, questions({}, two)), {}); }).find("line 2: address_0 comes twice"),
      std::string::npos);
}

TEST(Comparison, GoesCardByCard) {
  FakeNode node{
      {{"hccn_tool -i 0 -ip -g", "ipaddr:10.0.0.0"},
       {"hccn_tool -i 1 -ip -g", "ipaddr:10.0.0.1"},
       {"hccn_tool -i 2 -ip -g", "ipaddr:10.0.0.2"},
       {"hccn_tool -i 3 -ip -g", "ipaddr:-.-.-.-"},
       {"hccn_tool -i 4 -ip -g", "failed: 7"}},
      {{"/etc/hccn.conf", "address_0=10.0.0.0\naddress_1=10.0.0.9\naddress_3=10.0.0.3\naddress_4=x\n"}},
      {},
      {}};
  using Agreement = ComparedCard::Agreement;
  const std::vector<ComparedCard> cards =
      compare(hold(node, comparison_questions({}, std::vector{0, 1, 2, 3, 4})));
  const std::vector<Agreement> wanted{Agreement::same, Agreement::differ, Agreement::tool_alone,
                                      Agreement::conf_alone, Agreement::neither};
  ASSERT_EQ(cards.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(cards[i].agreement, wanted[i]) << i;
  EXPECT_EQ(cards[1], (ComparedCard{1, "10.0.0.9", "10.0.0.1", Agreement::differ, ""}));
  EXPECT_EQ(cards[4].reason,
            "/etc/hccn.conf: address_4: found \"x\", wanted an IPv4 address; hccn_tool: card 4: found "
            "\"failed: 7\", "
            "wanted a line \"ipaddr:ADDRESS\"");
}

TEST(Comparison, NeedsBothSources) {
  FakeNode no_tool{{}, {{"/etc/hccn.conf", ""}}, {}, {}};
  EXPECT_EQ(error_of([&] { compare(hold(no_tool, comparison_questions({}, two))); }),
            "hccn_tool: is not there");
  FakeNode no_conf{{{"hccn_tool -i 0 -ip -g", ""}, {"hccn_tool -i 1 -ip -g", ""}}, {}, {}, {}};
  EXPECT_EQ(error_of([&] { compare(hold(no_conf, comparison_questions({}, two))); }),
            "/etc/hccn.conf: No such file or directory");
}

}  // namespace
}  // namespace adarun::launcher
