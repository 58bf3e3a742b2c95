// SPDX-License-Identifier: Apache-2.0
// A job on many nodes, with faults. bench/scale runs the same with thousands of nodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/hosts/host_list.h"
#include "launcher/protocol/frame.h"
#include "tests/launcher/job/fake_cluster.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

class Scale : public testing::Test, public JobObserver {
 protected:
  Scale() : hosts_(parse_host_list("node[001-128]:8")) {
    JobOptions options;
    options.argv = {"./train"};
    options.hang_timeout = 10min;
    plan_ = make_plan(table_of(hosts_), hosts_, std::vector<std::string>(hosts_.size()), options, {"j"});
  }

  const JobReport& run(const Scenario& scenario) {
    const Job::Clock::time_point begin{};
    FakeCluster cluster(plan_, scenario);
    Job job(plan_, *this, begin);
    took_ = drive(
        job, cluster, begin,
        [&](const TransportEvent& event, Job::Clock::time_point now) { job.on_event(event, now); },
        [&](const Outgoing& out) { sent_.push_back(out); });
    report_ = job.report();
    return report_;
  }

  template <typename T>
  std::size_t count_sent() const {
    return static_cast<std::size_t>(std::count_if(sent_.begin(), sent_.end(), [](const Outgoing& out) {
      return std::holds_alternative<T>(out.message);
    }));
  }

  void on_output(std::uint32_t, protocol::Stream, std::string_view) override { ++lines_; }

  std::vector<Host> hosts_;
  Plan plan_;
  JobReport report_;
  std::vector<Outgoing> sent_;
  std::size_t lines_ = 0;
  Job::Clock::duration took_{};
};

TEST_F(Scale, AJobOfAThousandRanksRunsToItsEnd) {
  EXPECT_EQ(run({}).exit_status(), 0);
  EXPECT_EQ(report_.count(RankState::done), 1024U);
  EXPECT_EQ(lines_, 10'240U);
}

TEST_F(Scale, WhatGoesToAllNodesIsOneMessage) {
  run({});
  EXPECT_EQ(count_sent<protocol::JobSpec>(), 1U);
  EXPECT_EQ(count_sent<protocol::FenceDone>(), 3U);
  EXPECT_EQ(count_sent<protocol::Start>(), 128U);
  for (const Outgoing& out : sent_) {
    if (std::holds_alternative<protocol::Start>(out.message)) continue;
    EXPECT_EQ(out.nodes.size(), 128U);
  }
}

TEST_F(Scale, TheStartOfANodeDoesNotGrowWithTheirNumber) {
  const std::vector<Host> few = parse_host_list("node[001-002]:8");
  JobOptions options;
  options.argv = {"./train"};
  const Plan small = make_plan(table_of(few), few, {"", ""}, options, {"j"});
  EXPECT_LT(protocol::encode(plan_.nodes[1].start).size(),
            protocol::encode(small.nodes[1].start).size() + 100);
}

TEST_F(Scale, ARankThatFailsEndsAllOthers) {
  EXPECT_EQ(run({.failing_rank = 777}).exit_status(), 7);
  EXPECT_EQ(report_.failures.front().rank, 777U);
  EXPECT_EQ(report_.count(RankState::stopped), 1023U);
  EXPECT_EQ(count_sent<protocol::Stop>(), 1U);
}

TEST_F(Scale, ANodeThatIsLostEndsTheOthers) {
  EXPECT_EQ(run({.lost_node = 100}).exit_status(), 125);
  EXPECT_EQ(report_.count(RankState::lost), 8U);
  EXPECT_EQ(report_.count(RankState::stopped), 1016U);
}

TEST_F(Scale, ASlowNodeIsWaitedFor) {
  EXPECT_EQ(run({.slow_node = 3}).exit_status(), 0);
  EXPECT_GE(took_, 30s);
}

TEST_F(Scale, AHangIsExaminedAndEnds) {
  EXPECT_EQ(run({.hanging_rank = 5}).exit_status(), 124);
  EXPECT_EQ(report_.failures.front().kind, Failure::Kind::hung);
  EXPECT_GE(took_, 10min);
}

}  // namespace
}  // namespace adarun::launcher
