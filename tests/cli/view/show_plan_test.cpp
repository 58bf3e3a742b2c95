// SPDX-License-Identifier: Apache-2.0
#include "cli/view/show_plan.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "launcher/transport/local/local_reach.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::cli {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// A launch on two nodes of which the second one has no address.
class ShowPlan : public testing::Test {
 protected:
  ShowPlan() {
    options_.agent = "/opt/adarun-agent";
    options_.log_folder = "/home/ada/log_output";
  }
  std::string text() const { return plan_text(plan(), places_, options_); }
  json as_json() const { return json::parse(plan_json(plan(), places_, options_)); }

  // The lines of the text that begin with this.
  std::vector<std::string> lines_with(const std::string& beginning) const {
    std::vector<std::string> found;
    std::istringstream lines(text());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(beginning)) found.push_back(line);
    return found;
  }

  launcher::Plan plan() const { return launcher::plan_of("node[1-2]:2", job_); }

  LaunchOptions options_;
  launcher::JobOptions job_;
  std::vector<launcher::HostPlace> places_{{"ada", 22, "10.0.0.1", "", {"gate", "inner"}, {}},
                                           {"ada", 2222, "", "cannot resolve this name", {}, {}}};
};

TEST_F(ShowPlan, HasAsTextALineForEachRankAndCommentsOtherwise) {
  job_.argv = {"./train", "--name", "a b"};
  EXPECT_EQ(lines_with("(").size(), 4U);
  std::istringstream lines(text());
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.empty() || line[0] == '#' || line[0] == '(') << line;
  for (const std::string& line : lines_with("("))
    EXPECT_TRUE(line.ends_with(" ./train --name 'a b')")) << line;
  EXPECT_EQ(lines_with("# job "), std::vector<std::string>{"# job j: 4 ranks on 2 nodes"});
  EXPECT_EQ(lines_with("# logs "), std::vector<std::string>{"# logs go to /home/ada/log_output/"});
  EXPECT_EQ(lines_with("# rank 3"), std::vector<std::string>{"# rank 3, device 1"});
}

TEST_F(ShowPlan, SaysAsTextHowEachNodeIsReached) {
  EXPECT_EQ(lines_with("# node"),
            (std::vector<std::string>{
                "# node1: ssh -J gate,inner -p 22 ada@10.0.0.1; agent /opt/adarun-agent",
                "# node2: ssh -p 2222 ada@? (cannot resolve this name); agent /opt/adarun-agent"}));
  options_.reach = launcher::local_reach();
  EXPECT_EQ(lines_with("# node1")[0], "# node1: on this machine; agent /opt/adarun-agent");
}

TEST_F(ShowPlan, SetsAsTextWhatALineOfAShellCanSet) {
  options_.process_limits.umask = 027;
  options_.process_limits.ignored = {SIGHUP};
  options_.process_limits.limits = {{RLIMIT_CORE, 0, 17}};
  job_.workdir = "/data/my run";
  for (const std::string& line : lines_with("("))
    EXPECT_TRUE(
        line.starts_with("(cd '/data/my run' && trap '' HUP && umask 027 && exec prlimit --core=0:17 env "))
        << line;
}

TEST_F(ShowPlan, SaysAsTextHowLongThingsMayTake) {
  const std::string usual =
      "# ranks are ended by TERM, KILL after 5 s; a side that hears nothing of the other for 10 s gives it "
      "up";
  EXPECT_EQ(lines_with("# ranks "), std::vector<std::string>{usual});
  options_.timeout = 7s;
  options_.hang_timeout = 8s;
  options_.restarts.most = 3;
  options_.restarts.never_on = {2, 64};
  options_.spares = {"node9", 3};
  EXPECT_EQ(lines_with("# ranks ")[0], usual +
                                           "; the job may take 7 s; it hangs when all ranks are silent for 8 "
                                           "s; spares for nodes that are lost: "
                                           "node9; it needs 3 of its nodes; after a failure it is run again, "
                                           "at most 3 times, first at once, not "
                                           "after status 2, not after status 64");
  options_.min_ranks = 2;
  EXPECT_NE(
      lines_with("# ranks ")[0].find("; without ranks that end it continues while 2 are left; spares join "
                                     "it when nodes are lost; after a failure"),
      std::string::npos);
}

TEST_F(ShowPlan, HasAsJsonWhatEachRankIsGiven) {
  job_.argv = {"./train", "--name", "a b"};
  job_.environment = {"A=b=c"};
  const json plan = as_json();
  EXPECT_EQ(plan["job_id"], "j");
  EXPECT_EQ(plan["world_size"], 4);
  EXPECT_EQ(plan["log_dir"], "/home/ada/log_output");
  ASSERT_EQ(plan["nodes"].size(), 2U);
  const json& node = plan["nodes"][1];
  EXPECT_EQ(node["host"], "node2");
  EXPECT_EQ(node["agent"], "/opt/adarun-agent");
  ASSERT_EQ(node["ranks"].size(), 2U);
  const json& rank = node["ranks"][1];
  EXPECT_EQ(rank["rank"], 3);
  EXPECT_EQ(rank["local_rank"], 1);
  EXPECT_EQ(rank["device_id"], 1);
  EXPECT_EQ(rank["argv"], (json{"./train", "--name", "a b"}));
  EXPECT_EQ(rank["environment"]["A"], "b=c");
  EXPECT_EQ(rank["environment"]["RANK_ID"], "3");
}

TEST_F(ShowPlan, NamesTheRoleOfEachRank) {
  EXPECT_FALSE(as_json()["nodes"][1]["ranks"][1].contains("role"));
  job_.argv = {"./a"};
  job_.roles = {{"prefill", {0, 1}, {"./a"}}, {"decode", {2, 3}, {"./b", "c"}}};
  EXPECT_EQ(lines_with("# rank 3"), std::vector<std::string>{"# rank 3, device 1, role decode"});
  EXPECT_TRUE(lines_with("(")[1].ends_with(" ./a)"));
  EXPECT_TRUE(lines_with("(")[3].ends_with(" ./b c)"));
  const json rank = as_json()["nodes"][1]["ranks"][1];
  EXPECT_EQ(rank["role"], "decode");
  EXPECT_EQ(rank["argv"], (json{"./b", "c"}));
  EXPECT_EQ(rank["environment"]["ADARUN_ROLE_RANK"], "1");
}

TEST_F(ShowPlan, HasAsJsonWhereEachNodeIs) {
  const json nodes = as_json()["nodes"];
  EXPECT_EQ(nodes[0]["address"], "10.0.0.1");
  EXPECT_EQ(nodes[0]["jumps"], (json{"gate", "inner"}));
  EXPECT_FALSE(nodes[0].contains("reason"));
  EXPECT_EQ(nodes[1]["address"], nullptr);
  EXPECT_EQ(nodes[1]["reason"], "cannot resolve this name");
  EXPECT_EQ(nodes[1]["port"], 2222);
  places_[1] = {"", 0, "127.0.0.1", "", {}, {}};
  EXPECT_FALSE(as_json()["nodes"][1].contains("port")) << "without SSH";
}

TEST_F(ShowPlan, HasAsJsonLimitsAndTimes) {
  options_.process_limits.umask = 027;
  options_.process_limits.ignored = {SIGHUP};
  options_.process_limits.limits = {{RLIMIT_CORE, 0, 17}};
  options_.timeout = 7s;
  const json plan = as_json();
  EXPECT_EQ(plan["care"], json::parse(R"({"bind": "none", "stdout": "terminal", "umask": "027",
      "limits": {"core": {"soft": "0", "hard": "17"}}, "ignored_signals": ["HUP"]})"));
  EXPECT_EQ(plan["course"],
            json::parse(R"({"timeout_ms": 7000, "hang_timeout_ms": null, "connect_timeout_ms": 20000,
      "lease_ms": 10000, "grace_ms": 5000, "restarts": 0, "restart_delay_ms": 0, "no_restart_on": [],
      "spares": "", "min_nodes": null, "min_ranks": null, "rank_restarts": 0})"));
  EXPECT_EQ(plan["mpi"], "auto");
}

}  // namespace
}  // namespace adarun::cli
