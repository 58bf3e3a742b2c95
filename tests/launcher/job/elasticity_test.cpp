// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/elasticity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "launcher/protocol/archive.h"
#include "tests/launcher/job/elastic_job.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

TEST_F(ElasticJobTest, ContinuesWithoutARankThatFailsAndEndsWell) {
  start({0, 1, 2, 3});
  exit(2, 7);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 3}));
  EXPECT_EQ(notices_, std::vector<std::string>{
                          "rank 2 on n1 (device 0): exit code 7; the job continues with 3 of 4 ranks"});
  for (const std::uint32_t rank : {0U, 1U, 3U}) exit(rank, 0);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
  EXPECT_EQ(job_.report().count(RankState::failed), 1U);
}

TEST_F(ElasticJobTest, ContinuesWithoutANodeThatIsLost) {
  start({0, 1, 2, 3});
  job_.on_event({1, LinkLost{"no sign of life for 10 s"}}, now_);
  EXPECT_EQ(told(1), members_of(2, {0, 1}));
  for (const std::uint32_t rank : {0U, 1U}) exit(rank, 0);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(ElasticJobTest, FailsWithFewerThanTheLeastByTheRankThatWasTooMany) {
  start({0, 1, 2, 3});
  exit(2, 0, SIGKILL);
  exit(0, 5);
  job_.take_outgoing();
  exit(3, 7);
  const std::vector<Outgoing> out = job_.take_outgoing();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].message, protocol::Message(members_of(4, {1}))) << "for a last checkpoint";
  EXPECT_EQ(out[1].message, protocol::Message(protocol::Stop{false}));
  exit(1, 9);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 7);
}

TEST_F(ElasticJobTest, FailsIfARankDoesNotGoOnWithoutOthers) {
  start({0, 1, 3});
  exit(0, 1);
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, DoesNotHearARankOfAnotherNode) {
  start({0, 1, 2});
  hear(0, protocol::StaysOn{3});
  exit(0, 1);
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, FailsWhenARankAborts) {
  start({0, 1, 2, 3});
  hear(1, protocol::Abort{2, 4, "", 0});
  EXPECT_TRUE(stops());
}

TEST_F(ElasticJobTest, ConnectsTheSameRanksAnewWhereNoneHasEnded) {
  start({0, 1, 2, 3});
  hear(0, protocol::LostPeer{1, 1});
  hear(1, protocol::LostPeer{3, 1});
  EXPECT_TRUE(job_.take_outgoing().empty());
  now_ += 1s;
  EXPECT_LE(job_.deadline(), now_);
  job_.on_time(now_);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 2, 3}));
  EXPECT_TRUE(notices_.empty());
  hear(0, protocol::LostPeer{1, 1});  // It did not know yet.
  now_ += 1s;
  job_.on_time(now_);
  EXPECT_TRUE(job_.take_outgoing().empty());
}

TEST_F(ElasticJobTest, SaysOnceWhoIsLeftWhereAConnectionIsLostByTheEndOfARank) {
  start({0, 1, 2, 3});
  hear(0, protocol::LostPeer{1, 1});
  exit(2, 7);
  EXPECT_EQ(told(2), members_of(2, {0, 1, 3}));
  now_ += 1s;
  job_.on_time(now_);
  EXPECT_TRUE(job_.take_outgoing().empty());
}

TEST_F(ElasticJobTest, DoesNotFailByARankThatDiesWhenTheOthersHaveEndedWell) {
  start({0, 1, 2, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U}) exit(rank, 0);
  exit(3, 0, SIGKILL);
  EXPECT_FALSE(stops());
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(ElasticJobTest, ContinuesWithoutANodeWhoseAgentIsToldToEnd) {
  start({0, 1, 2, 3});
  hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "the agent was told to end: Terminated"});
  EXPECT_EQ(told(2), members_of(2, {0, 1}));
  EXPECT_EQ(notices_, std::vector<std::string>{
                          "n1: the agent was told to end: Terminated; the job continues with 2 of 4 ranks"});
  exit(2, 0, SIGKILL);  // It ended before its agent could end it: nobody is to be told again.
  exit(3, 3);
  hear(1, protocol::Done{});
  EXPECT_TRUE(job_.take_outgoing().empty());
  for (const std::uint32_t rank : {0U, 1U}) exit(rank, 0);
  hear(0, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  EXPECT_EQ(job_.report().exit_status(), 0);
}

TEST_F(ElasticJobTest, FailsByAnErrorThatARankReportsAfterItHasFinalized) {
  start({0, 1, 2, 3});
  hear(1, protocol::Finalized{2});
  exit(2, 3, 0, true);
  EXPECT_TRUE(stops());
  EXPECT_TRUE(notices_.empty());
}

TEST_F(ElasticJobTest, NamesNoRankThatHasFinalizedAsAMember) {
  start({0, 1, 2, 3});
  hear(0, protocol::Finalized{0});
  hear(0, protocol::Finalized{2});  // Not one of that node.
  exit(3, 1);
  EXPECT_EQ(told(2), members_of(2, {1, 2}));
  hear(0, protocol::LostPeer{1, 2});
  now_ += 1s;
  job_.on_time(now_);
  EXPECT_EQ(told(2), members_of(3, {1, 2}));
  hear(1, protocol::Finalized{2});
  exit(1, 1);  // Two have ended well, or are about to: so many are enough.
  EXPECT_FALSE(stops());
}

TEST_F(ElasticJobTest, SaysWhichRankWasTooManyAndWhichLeftBefore) {
  start({0, 1, 2, 3});
  exit(2, 0, SIGKILL);
  exit(0, 5);
  exit(3, 7);
  exit(1, 9);
  for (const std::uint32_t node : {0U, 1U}) hear(node, protocol::Done{});
  ASSERT_TRUE(job_.ended());
  ASSERT_EQ(job_.report().failures.size(), 1U);
  EXPECT_EQ(job_.report().failures[0].message,
            "rank 3 on n1 (device 1): exit code 7; fewer than --min-ranks 2 are left");
  EXPECT_EQ(job_.report().left, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(job_.report().followers, std::vector<std::uint32_t>{1});
}

TEST_F(ElasticJobTest, SaysThatTheOthersHaveEndedWhereNoneIsLeft) {
  start({0, 1, 2, 3});
  for (const std::uint32_t rank : {0U, 1U, 2U}) exit(rank, 0);
  exit(3, 1);
  EXPECT_EQ(notices_,
            std::vector<std::string>{"rank 3 on n1 (device 1): exit code 1; the others have ended well"});
}

TEST_F(ElasticJobTest, ConnectsTheSameRanksEverMoreSlowly) {
  start({0, 1, 2, 3});
  std::vector<std::chrono::milliseconds> delays;
  for (std::uint64_t generation = 1; generation <= 10; ++generation) {
    hear(0, protocol::LostPeer{1, generation});
    delays.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(job_.deadline().value() - now_));
    now_ = job_.deadline().value();
    job_.on_time(now_);
    EXPECT_EQ(told(2).generation, generation + 1);
  }
  EXPECT_EQ(delays.front(), 300ms);
  EXPECT_EQ(delays[1], 600ms);
  EXPECT_EQ(delays.back(), 60s);
  EXPECT_EQ(reasons_, std::vector<std::string>(10, "connections were lost: the same ranks connect anew"));
  now_ += 20min;
  hear(0, protocol::LostPeer{1, 11});
  EXPECT_EQ(job_.deadline().value() - now_, 300ms);
}

TEST_F(ElasticJobTest, BlamesNoRankOfALostNodeForAHang) {
  plan_.options.hang_timeout = 1min;
  Job job(plan_, *this, now_);
  const auto hear_in = [&](std::uint32_t node, protocol::Message message) {
    job.on_event({node, std::move(message)}, now_);
  };
  for (const std::uint32_t node : {0U, 1U}) hear_in(node, protocol::Hello{ADARUN_VERSION, "h", 1, 0});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    hear_in(rank / 2, protocol::Started{rank, 100 + rank, 0, {}});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    hear_in(rank / 2, protocol::ListensAt{rank, endpoint_of(rank)});
    hear_in(rank / 2, protocol::StaysOn{rank});
  }
  job.on_event({1, LinkLost{"no sign of life for 10 s"}}, now_);
  for (const std::uint32_t rank : {0U, 1U})
    hear_in(0, protocol::Output{rank, protocol::Stream::out, "further than those that were lost\n"});
  for (int i = 0; i < 9 && job.report().failures.empty(); ++i) {
    now_ += 1min;
    job.on_time(now_);
  }
  ASSERT_FALSE(job.report().failures.empty());
  EXPECT_EQ(job.report().failures[0].kind, Failure::Kind::hung);
  EXPECT_EQ(job.report().failures[0].rank, 0U);
}

TEST_F(ElasticJobTest, NeedsNoRankThatHasEndedWell) {
  start({0, 1, 2, 3});
  exit(0, 0);
  exit(2, 1);
  EXPECT_EQ(told(2), members_of(2, {1, 3}));
}

TEST(Elasticity, RefusesAPlaceThatNoRankListensAt) {
  Elasticity elasticity(2, 1);
  elasticity.listen_at(0, "[fd00::1]:4242");
  for (const char* const place :
       {"", "h:1 cmd=x", "h:1\ncmd=x", "a=b", "x", "h:0", "h:70000", ":1", "[]:1", "a:b:1", "[a]b:1"})
    EXPECT_THROW(elasticity.listen_at(0, place), protocol::Error) << place;
  EXPECT_THROW(elasticity.listen_at(0, std::string(301, 'h')), protocol::Error);
}

}  // namespace
}  // namespace adarun::launcher
