// SPDX-License-Identifier: Apache-2.0
// Ranks that have ended and are started again, while the agent stays.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <variant>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

/// One rank that may be started again.
class StartAgainTest : public AgentTest {
 protected:
  void start(const std::string& script) {
    program_ = folder_.path() / "program";
    std::ofstream(program_) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
    protocol::Start start = folder_.start({{program_.string()}});
    start.restarts_ranks = true;
    agent_.send(start);
  }
  int end_code() {
    const auto exited = agent_.take<protocol::Exited>();
    return exited ? exited->code : -1;
  }
  void stop() {
    agent_.send(protocol::Stop{false});
    EXPECT_NE(agent_.await<protocol::Done>(), nullptr);
    EXPECT_EQ(agent_.wait(), 0);
  }

  std::filesystem::path program_;
};

TEST_F(StartAgainTest, RunsWithTheNumberOfItsRestartsAndWithoutWhatItHadLeft) {
  start(
      "[ -z \"$ADARUN_RANK_RESTARTS\" ] || { echo restarts=$ADARUN_RANK_RESTARTS; exit 4; }\n"
      "sleep 1000 & echo child=$!; exit 3\n");
  ASSERT_TRUE(agent_.take<protocol::Started>());
  EXPECT_EQ(end_code(), 3);
  const pid_t child = pid_in(agent_.output(0), "child");
  ASSERT_GT(child, 0);
  agent_.send(protocol::StartAgain{0, 2});
  ASSERT_TRUE(agent_.take<protocol::Started>());
  EXPECT_EQ(end_code(), 4);
  EXPECT_NE(agent_.output(0).find("restarts=2\n"), std::string::npos);
  EXPECT_TRUE(await_end(child));
  stop();
}

TEST_F(StartAgainTest, MayHaveRunOnAnotherNodeBefore) {
  program_ = folder_.path() / "program";
  protocol::Start start = folder_.shell("echo restarts=$ADARUN_RANK_RESTARTS cpus=$ADARUN_CPUS; exit 4");
  start.restarts_ranks = true;
  start.process_limits.bind = protocol::Bind::core;
  start.ranks[0].restarts = 2;
  start.ranks[0].local_rank = 3;  // Those before it have ended well.
  start.ranks.push_back({1, 4, {program_.string()}, {}, "", {}, 1});
  agent_.send(start);
  EXPECT_TRUE(agent_.await_output(0, "restarts=2 cpus="));
  std::map<std::uint32_t, int> ends;
  for (int i = 0; i < 2; ++i)
    if (const auto exited = agent_.take<protocol::Exited>()) ends[exited->rank] = exited->code;
  EXPECT_EQ(ends, (std::map<std::uint32_t, int>{{0, 4}, {1, 127}})) << "not a failure of the node";
  stop();
}

TEST_F(StartAgainTest, CountsItsOutputFromWhereTheProcessBeforeEnded) {
  protocol::Start start = folder_.shell("echo first >&2; echo again=$ADARUN_RANK_RESTARTS; exit 3");
  start.restarts_ranks = true;
  start.ranks[0].output_offset = 100;  // Of another node.
  agent_.send(start);
  EXPECT_EQ(end_code(), 3);
  for (const std::uint32_t restarts : {1U, 2U}) {
    agent_.send(protocol::StartAgain{0, restarts});
    EXPECT_EQ(end_code(), 3);
  }
  std::uint64_t offset = 100;
  for (const protocol::Message& message : agent_.seen()) {
    const auto* output = std::get_if<protocol::Output>(&message);
    if (output == nullptr) continue;
    EXPECT_EQ(output->offset, offset) << output->bytes;
    offset += output->bytes.size();
  }
  EXPECT_EQ(offset, 100 + std::string("first\nagain=\nfirst\nagain=1\nfirst\nagain=2\n").size());
  stop();
}

TEST_F(StartAgainTest, EndsAloneIfItsProgramIsGone) {
  start("exit 3\n");
  EXPECT_EQ(end_code(), 3);
  std::filesystem::remove(program_);
  for (const std::uint32_t restarts : {1U, 2U}) {
    agent_.send(protocol::StartAgain{0, restarts});
    EXPECT_EQ(end_code(), 127);
  }
  EXPECT_NE(agent_.output(0, protocol::Stream::err).find("No such file"), std::string::npos);
  stop();
}

TEST_F(StartAgainTest, IsNoOrderForARankThatRuns) {
  start("sleep 1000\n");
  ASSERT_TRUE(agent_.take<protocol::Started>());
  agent_.send(protocol::StartAgain{0, 1});
  expect_failure("that has not ended");
  EXPECT_EQ(agent_.wait(), 1);
}

}  // namespace
}  // namespace adarun::launcher::agent
