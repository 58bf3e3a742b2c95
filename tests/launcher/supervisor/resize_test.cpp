// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/resize.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"

namespace adarun::launcher {
namespace {

using Numbers = std::vector<std::uint32_t>;

class PlanResize : public testing::Test {
 protected:
  PlanResize() { options_.restarts.most = 1; }

  ResizePlan plan(const ResizeRequest& request) {
    const auto usable = [this](std::uint32_t node) { return node != lost_; };
    return plan_resize(request, membership_, usable, options_,
                       [this](const std::vector<Host>& hosts) { checked_ = hosts; });
  }

  std::string refusal(const ResizeRequest& request) {
    try {
      plan(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  JobOptions options_;
  Membership membership_{read_hosts("a:2,b:2,c:2"), read_hosts("s"), 3};
  std::optional<std::uint32_t> lost_;
  std::vector<Host> checked_;  ///< What the job would run on.
};

TEST_F(PlanResize, RemovesMembersAndSpares) {
  const ResizePlan removal = plan({"", "b,s", false});
  EXPECT_EQ(removal.requested.removed, (Numbers{1, 3}));
  EXPECT_EQ(removal.text, "b,s leave");
  EXPECT_EQ(removal.requested.enough, 2U) << "as many as stay";
  ASSERT_EQ(checked_.size(), 2U);
  EXPECT_EQ(checked_[1].name, "c");
}

TEST_F(PlanResize, AddsHostsWithTheDevicesOfTheFirstMember) {
  const ResizePlan addition = plan({"d,e:1", "a", false});
  ASSERT_EQ(addition.new_hosts.size(), 2U);
  EXPECT_EQ(addition.text, "a leaves; d,e join");
  ASSERT_EQ(checked_.size(), 4U);
  EXPECT_EQ(checked_[2].devices.size(), 2U);
  EXPECT_EQ(checked_[3].devices.size(), 1U);
  EXPECT_EQ(addition.requested.enough, 2U) << "a new host that is lost at once does not end the job";
}

TEST_F(PlanResize, TakesASpareThatIsConnectedAlready) {
  const ResizePlan addition = plan({"s", "", false});
  EXPECT_EQ(addition.requested.added, Numbers{3});
  EXPECT_EQ(checked_.back().devices.size(), 2U) << "as many as the first member";
  EXPECT_TRUE(addition.new_hosts.empty());
}

TEST_F(PlanResize, TakesASpareThatIsLostForAHostThatIsNew) {
  lost_ = 3;
  const ResizePlan addition = plan({"s", "", false});
  ASSERT_EQ(addition.new_hosts.size(), 1U);
  EXPECT_EQ(addition.new_hosts[0].name, "s");
  EXPECT_EQ(addition.requested.removed, Numbers{3}) << "it is no spare any more";
  EXPECT_EQ(addition.text, "s joins");
  EXPECT_EQ(checked_.size(), 4U);
}

TEST_F(PlanResize, TakesAMemberThatIsLostForAHostThatIsNew) {
  lost_ = 1;
  for (const char* remove : {"", "b"}) {
    const ResizePlan addition = plan({"b", remove, true});
    ASSERT_EQ(addition.new_hosts.size(), 1U);
    EXPECT_EQ(addition.new_hosts[0].name, "b");
    EXPECT_EQ(addition.requested.removed, Numbers{1});
    EXPECT_EQ(addition.text, "b joins");
    EXPECT_EQ(addition.requested.enough, 2U);
    EXPECT_EQ(checked_.size(), 3U);
  }
}

TEST_F(PlanResize, CountsNoMemberThatIsLost) {
  lost_ = 1;
  const ResizePlan addition = plan({"d", "", true});
  EXPECT_EQ(addition.requested.enough, 2U);
  ASSERT_EQ(checked_.size(), 3U);
  EXPECT_EQ(checked_[1].name, "c");
}

TEST_F(PlanResize, NeedsAHostWhereAllOthersLeave) {
  EXPECT_EQ(plan({"d", "a,b,c", true}).requested.enough, 1U);
}

TEST_F(PlanResize, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal({"", "", true}), "say what changes: --add LIST or --remove LIST");
  EXPECT_EQ(refusal({"b", "", true}), "--add: b is in the job already");
  EXPECT_EQ(refusal({"b.cluster", "", true}), "--add: b.cluster is in the job already")
      << "by its short name";
  EXPECT_EQ(refusal({"", "x", true}), "--remove: x is not in the job");
  EXPECT_EQ(refusal({"s", "s", true}), "s: both added and removed");
  EXPECT_EQ(refusal({"s:1", "", true}), "--add: s is a spare, and joins with 2 devices, not 1");
  EXPECT_EQ(refusal({"s:2", "", true}), "");
  EXPECT_EQ(refusal({"d:gpu", "", true}), "--add: d:gpu: the number of devices is wanted");
  EXPECT_EQ(refusal({"", "a,b,c", true}), "0 nodes would be left; the job needs 1");
  EXPECT_TRUE(refusal({"d[", "", true}).starts_with("--add \"d[\": "));
}

TEST_F(PlanResize, KeepsTheUsersMinimum) {
  options_.spares.min_nodes = 3;
  EXPECT_EQ(refusal({"", "a", true}), "2 nodes would be left; the job needs 3 (--min-nodes)");
  EXPECT_EQ(plan({"d", "a", true}).requested.enough, std::nullopt);
}

TEST_F(PlanResize, NeedsNoMoreNodesThanTheJobRunsOn) {
  options_.spares.min_nodes = 4;  // Of which AdaSum takes three.
  EXPECT_EQ(plan({"d", "a", true}).text, "a leaves; d joins");
  lost_ = 1;
  EXPECT_EQ(plan({"d", "", true}).text, "d joins");
  EXPECT_EQ(refusal({"", "a", true}), "1 node would be left; the job needs 4 (--min-nodes)");
}

TEST_F(PlanResize, WaitsForNoRestartThatCannotCome) {
  options_.restarts.most = 0;
  EXPECT_NE(refusal({"d", "", false}).find("can change only --now"), std::string::npos);
  EXPECT_EQ(plan({"d", "", true}).new_hosts.size(), 1U);
}

TEST_F(PlanResize, IsRefusedWhereTheJobCannotRunOnWhatIsLeft) {
  const auto refuse = [](const std::vector<Host>&) { throw Error("AdaSum says no"); };
  const auto usable = [](std::uint32_t) { return true; };
  EXPECT_THROW(plan_resize({"d", "", true}, membership_, usable, options_, refuse), Error);
}

TEST(ResizeLine, IsReadAsItWasWritten) {
  const ResizeRequest request{"node[1-2]:8", "b \"\n", true};
  EXPECT_EQ(resize_request(to_line(request)), request);
  EXPECT_EQ(to_line(request).find('\n'), std::string::npos);
  const auto state = resize_state(to_line({ResizeState::Kind::done, "b joins"}));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->kind, ResizeState::Kind::done);
  EXPECT_EQ(state->text, "b joins");
}

TEST(ResizeLine, IsNoneWhereSomethingElseIsSaid) {
  for (const char* line : {"status", "resize ", "resize 4", "resize {}", "resize []", "resize?",
                           R"(resize {"add":1,"remove":"","now":true})"})
    EXPECT_FALSE(resize_request(line)) << line;
  for (const char* line : {"", "{}", "stopping", R"({"resize":"well","text":""})", R"({"resize":"done"})"})
    EXPECT_FALSE(resize_state(line)) << line;
}

}  // namespace
}  // namespace adarun::launcher
