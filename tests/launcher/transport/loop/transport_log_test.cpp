// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/transport_log.h"

#include <gtest/gtest.h>

#include <utility>

namespace adarun::launcher {
namespace {

using Lines = std::vector<std::string>;

class TransportLogTest : public testing::Test {
 protected:
  TransportLogTest() {
    log_.divert([this](const std::string& line) { said_.push_back(line); });
    log_.show(base::Level::debug);
    for (const char* node : {"node1", "node2"}) transport_log_.add(node);
  }

  Lines take(std::vector<TransportEvent> events) {
    said_.clear();
    taken_ = std::move(events);
    transport_log_.take(taken_);
    return said_;
  }

  Lines said_;
  base::Log log_{"adarun"};
  TransportLog transport_log_{log_};
  std::vector<TransportEvent> taken_;
};

TEST_F(TransportLogTest, TellsStepsWithTheTimeThatTheyTook) {
  EXPECT_EQ(take({{1, LinkStep{"connect", 1'000'000'000}}, {1, LinkStep{"log in", 1'012'000'000}}}),
            (Lines{"node2: link: connect", "node2: link: log in (connect took 12 ms)"}));
}

TEST_F(TransportLogTest, TellsOfCutsAndTheFirstLookAtAClock) {
  EXPECT_EQ(take({{0, ClockReading{5'000'000, 1'000'000, 3'000'000}},
                  {0, ClockReading{5'000'000, 1'000'000, 3'000'000}},
                  {0, LinkCut{"no sign of life"}},
                  {0, LinkResumed{}},
                  {0, LinkLost{"gone"}}}),
            (Lines{"node1: clock: 3000 us ahead of ours, to 1000 us", "node1: link cut: no sign of life",
                   "node1: link resumed", "node1: link lost: gone"}));
}

TEST_F(TransportLogTest, TellsWhatANodePrintedWithV) {
  log_.show(base::Level::info);
  const Lines lines = take({{0, LinkPreamble{"Welcome\r\nto \x1b[1mnode1\n"}},
                            {1, LinkPreamble{std::string(3000, 'x')}},
                            {1, LinkRemark{"not for -v"}}});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
  EXPECT_EQ(lines[0].substr(0, 47), "node1: printed before its agent answered: Welco");
  EXPECT_LT(lines[1].size(), 600U);
}

TEST_F(TransportLogTest, TellsOfFramesThatMatterAndKeepsAll) {
  protocol::Exited exited;
  exited.rank = 3;
  exited.signal = 9;
  exited.out_of_memory = protocol::OutOfMemory::yes;
  EXPECT_EQ(take({{0, protocol::Message(protocol::Hello{"0.1.0", "host", 7, 0, "brought"})},
                  {0, protocol::Message(protocol::Output{3, protocol::Stream::out, "secret", 0})},
                  {0, protocol::Message(protocol::Pong{1, 2})},
                  {0, protocol::Message(exited)}}),
            (Lines{"node1: -> Hello: adarun-agent 0.1.0 on host, pid 7; brought",
                   "node1: -> Exited: rank 3, signal 9, out of memory"}));
  EXPECT_EQ(taken_.size(), 4U);
}

TEST_F(TransportLogTest, TellsOfWhatIsSent) {
  said_.clear();
  transport_log_.sent({1}, protocol::Stop{true});
  transport_log_.sent({0, 1}, protocol::Signal{10});
  transport_log_.sent({0, 1}, protocol::Ping{1});
  EXPECT_EQ(said_, (Lines{"node2: <- Stop: at once", "<- Signal: 10 (to 2 nodes)"}));
}

TEST_F(TransportLogTest, TellsNoEnvironmentAndNoContent) {
  protocol::Started started;
  started.environment = {"TOKEN=hunter2"};
  protocol::Answer answer;
  answer.out = "hunter2";
  protocol::JobSpec spec;
  spec.argv = {"train", "--password=hunter2"};
  spec.environment = {"TOKEN=hunter2"};
  protocol::Start start;
  start.ranks = {{0, 0, {"train", "hunter2"}, {"TOKEN=hunter2"}, "", {}}};
  protocol::Query query;
  query.argv = {"tool", "hunter2"};
  for (const protocol::Message& message :
       {protocol::Message(spec), protocol::Message(start), protocol::Message(query)})
    transport_log_.sent({0}, message);
  take({{0, protocol::Message(started)}, {0, protocol::Message(answer)}});
  for (const std::string& line : said_) EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
}

TEST_F(TransportLogTest, WritesDownWhatAgentsSayAndRemovesIt) {
  EXPECT_EQ(take({{0, protocol::Message(protocol::Diagnostic{"8 processes forked"})},
                  {1, protocol::Message(protocol::Diagnostic{"\x1b[2J\nforged"})},
                  {1, LinkRemark{"logged in as ada by ssh-agent"}}}),
            (Lines{"node1: agent: 8 processes forked", "node2: agent:  forged",
                   "node2: link: logged in as ada by ssh-agent"}));
  EXPECT_EQ(taken_.size(), 1U);
}

TEST_F(TransportLogTest, TakesOneNodesFloodForNoMoreThanItsShare) {
  const std::string long_text(1U << 20U, 'x');
  std::vector<TransportEvent> events;
  for (std::int64_t i = 0; i < protocol::DiagnosticBudget::burst + 500; ++i)
    events.push_back({0, protocol::Message(protocol::Diagnostic{i == 0 ? long_text : "x"})});
  events.push_back({1, protocol::Message(protocol::Diagnostic{"of another node"})});
  const Lines lines = take(std::move(events));
  EXPECT_LT(lines.size(), 1'400U);  // A slow machine allows a few more meanwhile.
  EXPECT_LT(lines.front().size(), 1'100U);
  EXPECT_EQ(lines.back(), "node2: agent: of another node");
}

TEST(DiagnosticBudget, IsABurstAndThenSomeEachSecond) {
  using Budget = protocol::DiagnosticBudget;
  Budget budget;
  Budget::Clock::time_point now{std::chrono::hours(1)};
  for (std::int64_t i = 0; i < Budget::burst; ++i) EXPECT_TRUE(budget.take(now));
  EXPECT_FALSE(budget.take(now));
  EXPECT_FALSE(budget.take(now + std::chrono::milliseconds(999)));
  EXPECT_EQ(budget.take_left_out(), 2U);
  EXPECT_EQ(budget.take_left_out(), 0U);
  now += std::chrono::seconds(1);
  for (std::int64_t i = 0; i < Budget::per_second; ++i) EXPECT_TRUE(budget.take(now));
  EXPECT_FALSE(budget.take(now));
  now += std::chrono::hours(100'000);
  for (std::int64_t i = 0; i < Budget::burst; ++i) EXPECT_TRUE(budget.take(now));
  EXPECT_FALSE(budget.take(now));
}

TEST_F(TransportLogTest, CleansWhatANodeSays) {
  EXPECT_EQ(take({{0, protocol::Message(protocol::Failed{protocol::StartFailure::not_found,
                                                         "\x1b[2J\nadarun: all is well"})}}),
            Lines{"node1: -> Failed:  adarun: all is well"});
}

}  // namespace
}  // namespace adarun::launcher
