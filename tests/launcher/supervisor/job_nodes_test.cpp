// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/job_nodes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace adarun::launcher {
namespace {

using MemberNumbers = std::vector<std::uint32_t>;

std::vector<Host> hosts_named(const std::vector<std::string>& names, std::vector<int> devices) {
  std::vector<Host> hosts;
  for (const std::string& name : names) hosts.push_back({name, devices, "", 0, devices.size() > 1});
  return hosts;
}

std::function<bool(std::uint32_t)> all_but(std::set<std::uint32_t> lost) {
  return [lost](std::uint32_t node) { return lost.count(node) == 0; };
}

std::string text_of(const MemberNumbers& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += " " + std::to_string(number);
  return text;
}

// How it renews its members where these hosts are lost: "0 3; 1 lost, 3 joined", with what else has changed;
// "refused": it does not.
std::string renewed(Membership& membership, std::set<std::uint32_t> lost,
                    const Membership::Requested& requested = {}, std::set<std::uint32_t> not_ready = {}) {
  const auto change = membership.renew(all_but(std::move(lost)), requested, all_but(std::move(not_ready)));
  if (!change) return "refused";
  std::string text = text_of(membership.members()).substr(1);
  const auto add = [&text](const MemberNumbers& numbers, const char* how) {
    if (!numbers.empty()) text += ";" + text_of(numbers) + " " + how;
  };
  add(change->left, "lost");
  add(change->joined, "joined");
  add(change->removed, "removed");
  add(change->added, "added");
  add(change->spares_removed, "no spare");
  return text;
}

TEST(Membership, BeginsWithTheHostsInTheirOrder) {
  const Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s"}, {0}), 2);
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 1}));
  EXPECT_EQ(membership.all()[2].name, "s");
}

TEST(Membership, PutsSparesInThePlacesOfLostHostsWhileEnoughAreLeft) {
  using Lost = std::set<std::uint32_t>;
  struct Case {
    const char* what;
    std::vector<std::string> hosts;
    std::vector<std::string> spares;
    std::size_t min;
    std::vector<std::pair<Lost, std::string>> renewals;
  };
  const std::vector<Case> cases{
      {"a spare in the place of a lost host",
       {"a", "b", "c"},
       {"s", "t"},
       3,
       {{{1}, "0 3 2; 1 lost; 3 joined"}}},
      {"not one that is lost, too", {"a", "b"}, {"s", "t"}, 2, {{{0, 2}, "3 1; 0 lost; 3 joined"}}},
      {"hosts are left out while enough stay",
       {"a", "b", "c", "d"},
       {"s"},
       3,
       {{{1, 3}, "0 4 2; 1 3 lost; 4 joined"}}},
      {"nothing changes where too few are left",
       {"a", "b", "c"},
       {},
       2,
       {{{0, 1}, "refused"}, {{}, "0 1 2"}, {{1}, "0 2; 1 lost"}, {{1, 2}, "refused"}}},
      {"spares that are left count",
       {"a", "b", "c", "d"},
       {"s", "t", "u"},
       5,
       {{{1}, "0 4 2 3; 1 lost; 4 joined"},
        {{1, 5, 6}, "refused"},
        {{1, 2}, "0 4 5 3; 2 lost; 5 joined"},
        {{1, 2, 3}, "refused"}}},
      {"each spare is used once",
       {"a"},
       {"s", "t"},
       1,
       {{{0}, "1; 0 lost; 1 joined"}, {{0, 1}, "2; 1 lost; 2 joined"}, {{0, 1, 2}, "refused"}}},
  };
  for (const Case& each : cases) {
    Membership membership(hosts_named(each.hosts, {0, 1}), hosts_named(each.spares, {0}), each.min);
    for (const auto& [lost, text] : each.renewals) EXPECT_EQ(renewed(membership, lost), text) << each.what;
  }
}

TEST(Membership, GivesASpareTheDevicesOfTheHostWhosePlaceItTakesUnlessItsListGivesThem) {
  for (const std::vector<int>& own : {std::vector{0}, {6, 7}}) {
    Membership membership(hosts_named({"a", "b"}, {4, 5}), hosts_named({"s"}, own), 2);
    EXPECT_EQ(renewed(membership, {0}), "2 1; 0 lost; 2 joined");
    EXPECT_EQ(membership.all()[2].devices, own.size() == 1 ? (std::vector{4, 5}) : own);
  }
}

TEST(Membership, GivesASpareNoMoreDevicesThanTheHostHadThatItReplaces) {
  std::vector<Host> spares = hosts_named({"s", "t"}, {0, 1, 2, 3});
  spares[1].devices = {0};
  Membership membership(hosts_named({"a", "b"}, {4, 5}), std::move(spares), 2);
  EXPECT_EQ(renewed(membership, {0, 1}), "2 3; 0 1 lost; 2 3 joined");
  EXPECT_EQ(membership.all()[2].devices, (std::vector{0, 1}));
  EXPECT_EQ(membership.all()[3].devices, std::vector{0});
}

TEST(Membership, ReplacesAHostWhileAnAttemptRuns) {
  Membership membership(hosts_named({"a", "b"}, {4, 5}), hosts_named({"s", "t"}, {0}), 2);
  EXPECT_EQ(membership.replace(1, all_but({2})), 3U);
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 3}));
  EXPECT_EQ(membership.spares(), MemberNumbers{2});
  EXPECT_EQ(membership.all()[3].devices, (std::vector{4, 5}));
  EXPECT_FALSE(membership.replace(3, all_but({2})));
  EXPECT_FALSE(membership.replace(1, all_but({}))) << "it is no member any more";
}

TEST(Membership, ReplacesAHostOnlyByOneWithAsManyDevices) {
  std::vector<Host> spares = hosts_named({"s"}, {0});
  spares[0].counted = true;
  for (Host& more : hosts_named({"t"}, {6, 7, 8})) spares.push_back(more);
  Membership membership(hosts_named({"a"}, {4, 5}), spares, 1);
  EXPECT_EQ(membership.replace(0, all_but({})), 2U);
  EXPECT_EQ(membership.all()[2].devices, (std::vector{6, 7}));
}

TEST(Membership, TakesASpareThatIsReadyBeforeOthers) {
  Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s", "t", "u"}, {0}), 2);
  EXPECT_EQ(renewed(membership, {0, 1}, {}, {2}), "3 4; 0 1 lost; 3 4 joined");
  EXPECT_EQ(membership.spares(), MemberNumbers{2});
  EXPECT_EQ(renewed(membership, {3}, {}, {2}), "2 4; 3 lost; 2 joined") << "where there is no other";
}

TEST(Membership, DoesAsTheUserRequests) {
  Membership membership(hosts_named({"a", "b", "c"}, {0, 1}), hosts_named({"s", "t"}, {0}), 3);
  EXPECT_EQ(membership.add(hosts_named({"d"}, {0})), MemberNumbers{5});
  EXPECT_EQ(renewed(membership, {2}, {{5, 3}, {0}, 2}), "1 4 5 3; 2 lost; 4 joined; 0 removed; 5 3 added")
      << "the spare joins that was not added";
  EXPECT_TRUE(membership.spares().empty());
  EXPECT_EQ(membership.min_nodes(), 4U) << "all that it has now";
  for (const std::uint32_t host : {5U, 3U})
    EXPECT_EQ(membership.all()[host].devices, (std::vector{0, 1})) << "those of the first member";
}

TEST(Membership, TellsWhichSparesWereRemoved) {
  Membership membership(hosts_named({"a", "b"}, {0}), hosts_named({"s", "t"}, {0}), 1);
  EXPECT_EQ(renewed(membership, {}, {.added = {}, .removed = {1, 2}, .enough = {}}),
            "0; 1 removed; 2 no spare");
  EXPECT_EQ(membership.spares(), MemberNumbers{3});
}

TEST(Membership, AddsNoHostTwiceOrThatIsLost) {
  Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s"}, {0}), 2);
  EXPECT_EQ(renewed(membership, {1}), "0 2; 1 lost; 2 joined");
  EXPECT_EQ(renewed(membership, {1}, {{2}, {}, 2}), "0 2") << "a spare that has joined meanwhile";
  membership.add(hosts_named({"c", "d"}, {0, 1}));
  EXPECT_EQ(renewed(membership, {3}, {{3, 4}, {}, {}}), "0 2 4; 4 added");
}

TEST(Membership, NeverEndsUpWithoutAHost) {
  Membership membership(hosts_named({"a"}, {0, 1}), {}, 1);
  membership.add(hosts_named({"b"}, {0}));
  EXPECT_EQ(renewed(membership, {1}, {{1}, {0}, 0}), "refused");
}

TEST(Membership, NumbersMembersAndSparesAnew) {
  Membership membership(hosts_named({"a", "b", "c"}, {0, 1}), hosts_named({"s", "t"}, {0}), 2);
  EXPECT_EQ(renewed(membership, {0}, {{}, {1}, 2}), "3 2; 0 lost; 3 joined; 1 removed");
  membership.renumber();
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 1}));
  EXPECT_EQ(membership.spares(), MemberNumbers{2});
  std::string names;
  for (const Host& host : membership.all()) names += host.name;
  EXPECT_EQ(names, "sct");
}

}  // namespace
}  // namespace adarun::launcher
