// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/job_status.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using protocol::Stream;

const JobObserver no_steps;

// The last line of a job's only rank, which has printed these pieces.
std::string last_line_of(const std::vector<std::string>& pieces) {
  Plan plan;
  plan.nodes.resize(1);
  plan.node_of_rank = {0};
  plan.device_of_rank = {0};
  JobStatus status(plan, no_steps);
  for (const std::string& piece : pieces) status.on_output(0, Stream::out, piece);
  return nlohmann::json::parse(status.json())["ranks"][0]["last_line"];
}

TEST(JobStatus, HasTheLastWholeLineOfARank) {
  EXPECT_EQ(last_line_of({}), "");
  EXPECT_EQ(last_line_of({"half"}), "");
  EXPECT_EQ(last_line_of({"one\ntw", "o\nthr"}), "two");
  EXPECT_EQ(last_line_of({"one\ntwo\nthree\n"}), "three");
}

TEST(JobStatus, EndsALineWhereTheMonitorDoes) {
  EXPECT_EQ(last_line_of({"10%\r20", "%\r30"}), "20%");
  EXPECT_EQ(last_line_of({"one\r", "\ntwo\r\n"}), "two");
  EXPECT_EQ(last_line_of({"one\n", "\n\n"}), "one");
}

TEST(JobStatus, CutsALongLine) {
  const std::string text(300, 'x');
  EXPECT_EQ(last_line_of({text + "\n"}), text.substr(0, 200));
  EXPECT_EQ(last_line_of({text, text, text + "\n"}), text.substr(0, 200));
}

// The status of each rank of a job on two nodes, after these events.
template <typename Events>
nlohmann::json ranks_after(Events events) {
  const Plan plan = plan_of("node[1-2]:1");
  JobStatus status(plan, no_steps);
  events(status);
  return nlohmann::json::parse(status.json())["ranks"];
}

TEST(JobStatus, SaysWhichSignalHasStoppedARankUntilItContinues) {
  const nlohmann::json ranks = ranks_after([](JobStatus& status) {
    status.on_started({0, 16, 0, {}, ""});
    status.on_started({1, 17, 0, {}, ""});
    status.on_halted(0, SIGTTIN);
    status.on_halted(1, SIGSTOP);
    status.on_halted(1, 0);
  });
  EXPECT_EQ(ranks[0]["state"], "running");
  EXPECT_EQ(ranks[0]["halted_by"], "SIGTTIN");
  EXPECT_FALSE(ranks[1].contains("halted_by"));
}

TEST(JobStatus, KnowsWhereEachRankIs) {
  const nlohmann::json ranks = ranks_after([](JobStatus& status) { status.on_started({1, 17, 0, {}, ""}); });
  EXPECT_EQ(ranks[0]["node"], "node1");
  EXPECT_EQ(ranks[0]["state"], "waiting");
  EXPECT_FALSE(ranks[0].contains("silent_ms")) << "it has not started";
  EXPECT_EQ(ranks[1]["node"], "node2");
  EXPECT_EQ(ranks[1]["state"], "running");
  EXPECT_EQ(ranks[1]["device_id"], 0);
  EXPECT_EQ(ranks[1]["pid"], 17) << "on its node";
  EXPECT_FALSE(ranks[0].contains("pid"));
  EXPECT_EQ(ranks[1]["printed"], false);
  EXPECT_TRUE(ranks[1].contains("silent_ms"));
}

TEST(JobStatus, NamesTheRoleOfARank) {
  JobOptions options;
  options.roles = {{"prefill", {0}, {"a"}}, {"decode", {1}, {"b"}}};
  const Plan plan = plan_of("node[1-2]:1", options);
  const nlohmann::json ranks = nlohmann::json::parse(JobStatus(plan, no_steps).json())["ranks"];
  EXPECT_EQ(ranks[1]["role"], "decode");
  EXPECT_FALSE(ranks_after([](JobStatus&) {})[1].contains("role"));
}

TEST(JobStatus, FollowsARankToItsEnd) {
  const nlohmann::json ranks = ranks_after([](JobStatus& status) {
    status.on_started({0, 17, 0, {}, ""});
    status.on_started({1, 17, 0, {}, ""});
    RankRecord record;
    record.state = RankState::done;
    status.on_exited(0, record);
    status.on_lost(0, "the connection was cut");
    status.on_lost(1, "the connection was cut");
  });
  EXPECT_EQ(ranks[0]["state"], "done") << "before its node was lost";
  EXPECT_EQ(ranks[1]["state"], "lost");
}

TEST(JobStatus, KnowsWhichRanksGoOnWithoutOthers) {
  const Plan plan = plan_of("node[1-2]:1");
  JobStatus status(plan, no_steps);
  EXPECT_FALSE(nlohmann::json::parse(status.json()).contains("members"));
  status.on_members({2, {0}}, "rank 1 on node2 (device 0): exit code 7");
  const nlohmann::json members = nlohmann::json::parse(status.json())["members"];
  EXPECT_EQ(members["generation"], 2);
  EXPECT_EQ(members["ranks"], nlohmann::json::array({0}));
  EXPECT_EQ(members["why"], "rank 1 on node2 (device 0): exit code 7");
  EXPECT_GE(members["since_ms"], 0);
}

// Knows one step of each rank.
class StepsOfRanks : public JobObserver {
 public:
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override { return steps[rank]; }

  std::vector<std::optional<std::uint64_t>> steps{{}, {}};
};

TEST(JobStatus, HasTheStepThatARankHasReached) {
  const Plan plan = plan_of("node[1-2]:1");
  StepsOfRanks steps;
  JobStatus status(plan, steps);
  steps.steps[0] = 17;
  status.on_output(0, Stream::out, "epoch: 1 step: 17, loss is 2.3\n");
  status.on_output(1, Stream::out, "hello\n");
  const nlohmann::json ranks = nlohmann::json::parse(status.json())["ranks"];
  EXPECT_EQ(ranks[0]["step"], 17);
  EXPECT_TRUE(ranks[0].contains("since_step_ms"));
  EXPECT_FALSE(ranks[1].contains("step"));
  EXPECT_EQ(ranks[1]["printed"], true);
}

}  // namespace
}  // namespace adarun::launcher
