// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/job/node_status.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

// Of two nodes of two ranks each.
class RanksTest : public testing::Test {
 protected:
  void start(const std::vector<std::uint32_t>& which) {
    for (const std::uint32_t rank : which) ranks.start({rank, 1, 0, {}, ""});
  }
  RankState state(std::uint32_t rank) const { return ranks.records()[rank].state; }

  const Plan plan = plan_of("n[0-1]:2");
  Ranks ranks{plan};
};

TEST_F(RanksTest, BelongToOneNode) {
  EXPECT_TRUE(ranks.has(1, 2));
  EXPECT_FALSE(ranks.has(0, 2));
  EXPECT_FALSE(ranks.has(1, 4));
}

TEST_F(RanksTest, FailByThemselvesOrAreStopped) {
  start({0, 1, 2, 3});
  EXPECT_FALSE(ranks.end({.rank = 0}));
  EXPECT_EQ(state(0), RankState::done);
  const auto failure = ranks.end({.rank = 3, .signal = SIGSEGV});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "rank 3 on n1 (device 1) failed first: SIGSEGV (Segmentation fault)");
  EXPECT_EQ(failure->signal, SIGSEGV);
  EXPECT_FALSE(ranks.end({.rank = 1, .code = 7, .stopped_by_us = true}));
  EXPECT_EQ(state(1), RankState::stopped);
}

TEST_F(RanksTest, HaveFailedWhenTheyCallAbortHoweverTheyEnd) {
  start({2});
  const Failure failure = ranks.abort({2, 9, "bad shape", 77});
  EXPECT_EQ(failure.message, "rank 2 on n1 (device 0) called MPI_Abort(9): bad shape");
  EXPECT_EQ(failure.exit_status(), 9);
  EXPECT_FALSE(ranks.end({.rank = 2, .signal = SIGTERM, .stopped_by_us = true}));
  EXPECT_EQ(state(2), RankState::failed);
  EXPECT_EQ(ranks.records()[2].ended_ns, 77);
}

TEST_F(RanksTest, AreTimedByTheClocksOfTheirNodes) {
  ranks.end({.rank = 2, .code = 1, .time_ns = 5'000});
  std::vector<NodeClock> clocks(2);
  clocks[1].read({1'000, 0, 20});
  const std::vector<RankRecord> records = ranks.timed(clocks);
  EXPECT_EQ(records[2].ended, (Moment{4'010, 10}));
  EXPECT_EQ(records[0].ended, std::nullopt) << "it has not ended";
}

TEST_F(RanksTest, AreTimedByTheClockOfTheNodeOnWhichTheyEnded) {
  ranks.end({.rank = 2, .time_ns = 5'000});
  std::vector<NodeClock> clocks(2);
  clocks[1].read({1'000, 0, 20});
  ranks.note_times(1, clocks[1]);
  clocks[1] = {};
  clocks[1].read({9'000, 0, 20});
  EXPECT_EQ(ranks.timed(clocks)[2].ended, (Moment{4'010, 10}));
}

TEST_F(RanksTest, OfALostNodeAreNotInMpi) {
  start({2, 3});
  for (const std::uint32_t rank : {2U, 3U}) EXPECT_TRUE(ranks.join({rank}));
  EXPECT_TRUE(ranks.runs(1, 3));
  EXPECT_FALSE(ranks.runs(0, 3));
  EXPECT_TRUE(ranks.any_in_mpi_beside(2));
  ranks.lose(1);
  EXPECT_FALSE(ranks.any_in_mpi_beside(2));
  EXPECT_FALSE(ranks.runs(1, 3));
}

TEST_F(RanksTest, OfALostNodeAreLostUnlessTheyHadEnded) {
  start({0, 1, 2, 3});
  ranks.end({.rank = 2});
  ranks.lose(1);
  EXPECT_EQ(state(1), RankState::running);
  EXPECT_EQ(state(2), RankState::done);
  EXPECT_EQ(state(3), RankState::lost);
}

RankRecord ended(int code, int signal = 0) {
  RankRecord record;
  record.state = RankState::failed;
  record.code = code;
  record.signal = signal;
  return record;
}

RankRecord dumped(const std::string& core) {
  RankRecord record = ended(0, SIGSEGV);
  record.core_dumped = true;
  record.core = core;
  return record;
}

RankRecord aborted(const protocol::Abort& abort) {
  RankRecord record = dumped("core");
  record.abort = abort;
  return record;
}

RankRecord killed(protocol::OutOfMemory out_of_memory, RankState state = RankState::failed) {
  RankRecord record = ended(0, SIGKILL);
  record.state = state;
  record.out_of_memory = out_of_memory;
  return record;
}

TEST(DescribeEnd, SaysHowItsRankEnded) {
  using protocol::OutOfMemory;
  const std::vector<std::pair<RankRecord, const char*>> cases{
      {ended(7), "exit code 7"},
      {ended(0, SIGSEGV), "SIGSEGV (Segmentation fault)"},
      {dumped(""), "SIGSEGV (Segmentation fault), core dumped"},
      {dumped("/home/ada/core.17"), "SIGSEGV (Segmentation fault), core dumped: /home/ada/core.17"},
      {aborted({0, 3, "bad shape", 0}), "MPI_Abort(3): bad shape"},
      {aborted({0, 50, "2 processes of ./worker", 0, protocol::EndingCall::spawn}),
       "MPI_Comm_spawn of 2 processes of ./worker"},
      {killed(OutOfMemory::yes), "SIGKILL (Killed), out of memory"},
      {killed(OutOfMemory::unknown), "SIGKILL (Killed), not by adarun; perhaps out of memory"},
      {killed(OutOfMemory::likely),
       "SIGKILL (Killed), most likely out of memory: the kernel killed for it on this node"},
      {killed(OutOfMemory::no), "SIGKILL (Killed), not by adarun, nor by the kernel for want of memory"},
      {killed(OutOfMemory::no, RankState::stopped), "SIGKILL (Killed)"},
  };
  for (const auto& [record, text] : cases) EXPECT_EQ(describe_end(record), text);
}

}  // namespace
}  // namespace adarun::launcher
