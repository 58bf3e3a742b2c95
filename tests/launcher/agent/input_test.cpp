// SPDX-License-Identifier: Apache-2.0
// What ranks read from stdin.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "launcher/agent/ranks/rank_streams.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Input;
using protocol::InputWanted;
using Kind = InputWanted::Kind;

/// One rank that runs a shell script and whose stdin is passed on.
class RankInputTest : public AgentTest {
 protected:
  void start(const std::string& script, protocol::Stdin in = protocol::Stdin::passed_on) {
    protocol::Start start = folder_.shell(script);
    start.ranks[0].in = in;
    agent_.send(start);
  }

  /// How many bytes are wanted next; 0: no more.
  std::uint32_t wanted(Kind kind) {
    const auto wanted = agent_.take<InputWanted>();
    EXPECT_TRUE(wanted && wanted->kind == kind);
    return wanted ? wanted->bytes : 0;
  }
};

TEST_F(RankInputTest, ReachesTheRankAndEnds) {
  start("cat; echo end");
  EXPECT_EQ(wanted(Kind::from_begin), RankInput::node_window_bytes);
  agent_.send(Input{0, "one\n", false});
  ASSERT_TRUE(agent_.await_output(0, "one\n"));
  EXPECT_EQ(end_after(Input{0, "two", true}), 0);
  EXPECT_EQ(agent_.output(0), "one\ntwoend\n");
}

TEST_F(RankInputTest, IsWantedAnewAsTheRankReads) {
  start("head -c 150000 | wc -c; read line; echo $line");
  const std::uint32_t window = wanted(Kind::from_begin);
  agent_.send(Input{0, std::string(150'000, 'x'), false});
  EXPECT_GE(wanted(Kind::more), window / 2);
  EXPECT_LT(window, 300'000);
  EXPECT_EQ(end_after(Input{0, "last\n", true}), 0);
  EXPECT_EQ(agent_.output(0), "150000\nlast\n");
}

TEST_F(RankInputTest, IsNotWantedBeyondTheWindowOfARankThatReadsNothing) {
  start("echo here; read line < /dev/null; sleep 1000");
  const std::uint32_t window = wanted(Kind::from_begin);
  agent_.send(Input{0, std::string(window, 'x'), false});
  ASSERT_TRUE(agent_.await_output(0, "here\n"));
  agent_.send(protocol::Ping{7});
  ASSERT_NE(agent_.await<protocol::Pong>([](const protocol::Pong& pong) { return pong.sequence == 7; }),
            nullptr);
  for (const protocol::Message& message : agent_.seen())
    EXPECT_FALSE(std::holds_alternative<InputWanted>(message)) << "a pipe takes less than half of the window";
  agent_.send(protocol::Stop{true});
  agent_.wait();
}

TEST_F(RankInputTest, IsRefusedBeyondWhatWasWanted) {
  start("sleep 1000");
  const std::uint32_t window = wanted(Kind::from_begin);
  agent_.send(Input{0, std::string(window + 1, 'x'), false});
  expect_failure("more input than a rank wanted");
  EXPECT_EQ(agent_.wait(), 1);
}

TEST_F(RankInputTest, IsNotWantedByARankThatHasClosedIt) {
  start("exec < /dev/null; echo closed; sleep 1000");
  wanted(Kind::from_begin);
  wanted(Kind::no_more);
  agent_.send(Input{0, "too late", true});
  ASSERT_TRUE(agent_.await_output(0, "closed\n"));
  agent_.send(protocol::Stop{true});
  agent_.wait();
}

TEST_F(RankInputTest, IsEmptyForAProgramThatIsNoneOfMpi) {
  start("readlink /proc/self/fd/0; cat", protocol::Stdin::if_mpi);
  EXPECT_EQ(agent_.wait(), 0);
  EXPECT_EQ(agent_.output(0), "/dev/null\n");
}

TEST_F(RankInputTest, BeginsAnewForARankThatIsStartedAgain) {
  protocol::Start start = folder_.shell("read line; echo got $line");
  start.ranks[0].in = protocol::Stdin::passed_on;
  start.restarts_ranks = true;
  agent_.send(start);
  for (const std::uint32_t restarts : {1U, 2U}) {
    wanted(Kind::from_begin);
    agent_.send(Input{0, "line " + std::to_string(restarts) + "\n", true});
    ASSERT_TRUE(agent_.take<protocol::Exited>());
    agent_.send(protocol::StartAgain{0, restarts});
  }
  wanted(Kind::from_begin);
  agent_.send(Input{0, "", true});
  ASSERT_TRUE(agent_.take<protocol::Exited>());
  EXPECT_EQ(end_after(protocol::Stop{false}), 0);
  EXPECT_EQ(agent_.output(0), "got line 1\ngot line 2\ngot\n");
}

TEST_F(RankInputTest, SharesTheWindowOfItsNode) {
  protocol::Start start = folder_.start({{"/bin/cat"}, {"/bin/cat"}, {"/bin/cat"}});
  start.ranks[0].in = start.ranks[1].in = protocol::Stdin::passed_on;
  agent_.send(start);
  for (int i = 0; i < 2; ++i) {
    const auto wanted = agent_.take<InputWanted>();
    ASSERT_TRUE(wanted);
    EXPECT_EQ(wanted->bytes, RankInput::node_window_bytes / 2);
    agent_.send(Input{wanted->rank, "for " + std::to_string(wanted->rank), true});
  }
  EXPECT_EQ(agent_.wait(), 0);
  EXPECT_EQ(agent_.output(0), "for 0");
  EXPECT_EQ(agent_.output(1), "for 1");
  EXPECT_EQ(agent_.output(2), "");
}

}  // namespace
}  // namespace adarun::launcher::agent
