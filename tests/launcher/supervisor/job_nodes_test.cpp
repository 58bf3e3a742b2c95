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

TEST(Membership, BeginsWithTheHostsInTheirOrder) {
  const Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s"}, {0}), 2);
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 1}));
  EXPECT_EQ(membership.all()[2].name, "s");
}

TEST(Membership, PutsASpareInThePlaceOfALostHost) {
  Membership membership(hosts_named({"a", "b", "c"}, {4, 5}), hosts_named({"s", "t"}, {0}), 3);
  const auto change = membership.renew(all_but({1}));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->left, MemberNumbers{1});
  EXPECT_EQ(change->joined, MemberNumbers{3});
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 3, 2}));
  EXPECT_EQ(membership.all()[3].devices, (std::vector{4, 5})) << "those of the host whose place it takes";
}

TEST(Membership, KeepsTheDevicesThatASparesListGives) {
  Membership membership(hosts_named({"a", "b"}, {4, 5}), hosts_named({"s"}, {6, 7}), 2);
  ASSERT_TRUE(membership.renew(all_but({0})));
  EXPECT_EQ(membership.all()[2].devices, (std::vector{6, 7}));
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

TEST(Membership, TellsWhichSparesWereRemoved) {
  Membership membership(hosts_named({"a", "b"}, {0}), hosts_named({"s", "t"}, {0}), 1);
  const auto change = membership.renew(all_but({}), {.added = {}, .removed = {1, 2}, .enough = {}});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->removed, MemberNumbers{1});
  EXPECT_EQ(change->spares_removed, MemberNumbers{2});
  EXPECT_EQ(membership.spares(), MemberNumbers{3});
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
  const auto change = membership.renew(all_but({0, 1}), {}, all_but({2}));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->joined, (MemberNumbers{3, 4}));
  EXPECT_EQ(membership.spares(), MemberNumbers{2});
  ASSERT_TRUE(membership.renew(all_but({3}), {}, all_but({2})));
  EXPECT_EQ(membership.members(), (MemberNumbers{2, 4})) << "it is taken where there is no other";
}

TEST(Membership, SkipsASpareThatIsLostToo) {
  Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s", "t"}, {0}), 2);
  const auto change = membership.renew(all_but({0, 2}));
  ASSERT_TRUE(change);
  EXPECT_EQ(membership.members(), (MemberNumbers{3, 1}));
}

TEST(Membership, LeavesOutHostsWhileEnoughStay) {
  Membership membership(hosts_named({"a", "b", "c", "d"}, {0, 1}), hosts_named({"s"}, {0}), 3);
  const auto change = membership.renew(all_but({1, 3}));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->left, (MemberNumbers{1, 3}));
  EXPECT_EQ(change->joined, MemberNumbers{4});
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 4, 2}));
}

TEST(Membership, ChangesNothingWhereTooFewAreLeft) {
  Membership membership(hosts_named({"a", "b", "c"}, {0, 1}), {}, 2);
  EXPECT_FALSE(membership.renew(all_but({0, 1})));
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 1, 2}));
  EXPECT_TRUE(membership.renew(all_but({1})));
  EXPECT_FALSE(membership.renew(all_but({1, 2}))) << "the second loss";
}

TEST(Membership, CountsTheSparesThatAreLeft) {
  Membership membership(hosts_named({"a", "b", "c", "d"}, {0, 1}), hosts_named({"s", "t", "u"}, {0}), 5);
  ASSERT_TRUE(membership.renew(all_but({1})));
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 4, 2, 3}));
  EXPECT_FALSE(membership.renew(all_but({1, 5, 6}))) << "spares that are lost";
  ASSERT_TRUE(membership.renew(all_but({1, 2})));
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 4, 5, 3}));
  EXPECT_FALSE(membership.renew(all_but({1, 2, 3})));
}

TEST(Membership, UsesEachSpareOnce) {
  Membership membership(hosts_named({"a"}, {0, 1}), hosts_named({"s", "t"}, {0}), 1);
  ASSERT_TRUE(membership.renew(all_but({0})));
  ASSERT_TRUE(membership.renew(all_but({0, 1})));
  EXPECT_EQ(membership.members(), MemberNumbers{2});
  EXPECT_FALSE(membership.renew(all_but({0, 1, 2})));
}

TEST(Membership, DoesAsTheUserRequests) {
  Membership membership(hosts_named({"a", "b", "c"}, {0, 1}), hosts_named({"s", "t"}, {0}), 3);
  const MemberNumbers added = membership.add(hosts_named({"d"}, {0}));
  EXPECT_EQ(added, MemberNumbers{5});
  const auto change = membership.renew(all_but({2}), {{5, 3}, {0}, 2});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->removed, MemberNumbers{0});
  EXPECT_EQ(change->left, MemberNumbers{2});
  EXPECT_EQ(change->joined, MemberNumbers{4}) << "the spare that was not added";
  EXPECT_EQ(change->added, (MemberNumbers{5, 3}));
  EXPECT_EQ(membership.members(), (MemberNumbers{1, 4, 5, 3}));
  EXPECT_TRUE(membership.spares().empty());
  EXPECT_EQ(membership.min_nodes(), 4U) << "all that it has now";
  for (const std::uint32_t host : change->added)
    EXPECT_EQ(membership.all()[host].devices, (std::vector{0, 1})) << "those of the first member";
}

TEST(Membership, AddsNoHostTwice) {
  Membership membership(hosts_named({"a", "b"}, {0, 1}), hosts_named({"s"}, {0}), 2);
  ASSERT_TRUE(membership.renew(all_but({1})));
  ASSERT_TRUE(membership.renew(all_but({1}), {{2}, {}, 2})) << "a spare that has joined meanwhile";
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 2}));
}

TEST(Membership, NeverEndsUpWithoutAHost) {
  Membership membership(hosts_named({"a"}, {0, 1}), {}, 1);
  membership.add(hosts_named({"b"}, {0}));
  EXPECT_FALSE(membership.renew(all_but({1}), {{1}, {0}, 0}));
}

TEST(Membership, GivesASpareNoMoreDevicesThanTheHostHadThatItReplaces) {
  std::vector<Host> spares = hosts_named({"s", "t"}, {0, 1, 2, 3});
  for (Host& spare : spares) spare.counted = true;
  spares[1].devices = {0};
  Membership membership(hosts_named({"a", "b"}, {4, 5}), std::move(spares), 2);
  ASSERT_TRUE(membership.renew(all_but({0, 1})));
  EXPECT_EQ(membership.all()[2].devices, (std::vector{0, 1}));
  EXPECT_EQ(membership.all()[3].devices, std::vector{0});
}

TEST(Membership, AddsNoHostThatIsLost) {
  Membership membership(hosts_named({"a"}, {0, 1}), {}, 1);
  membership.add(hosts_named({"b", "c"}, {0, 1}));
  const auto change = membership.renew(all_but({1}), {{1, 2}, {}, {}});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->added, MemberNumbers{2});
}

TEST(Membership, NumbersMembersAndSparesAnew) {
  Membership membership(hosts_named({"a", "b", "c"}, {0, 1}), hosts_named({"s", "t"}, {0}), 2);
  ASSERT_TRUE(membership.renew(all_but({0}), {{}, {1}, 2}));
  membership.renumber();
  EXPECT_EQ(membership.members(), (MemberNumbers{0, 1}));
  EXPECT_EQ(membership.spares(), MemberNumbers{2});
  ASSERT_EQ(membership.all().size(), 3U);
  EXPECT_EQ(membership.all()[0].name, "s");
  EXPECT_EQ(membership.all()[1].name, "c");
  EXPECT_EQ(membership.all()[2].name, "t");
}

}  // namespace
}  // namespace adarun::launcher
