// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <gtest/gtest.h>

#include <csignal>

#include "launcher/job/node_status.h"
#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

Plan two_nodes_of_two() {
  return plan_of("n[0-1]:2");
}

protocol::Exited end_of(std::uint32_t rank, int code, int signal = 0) {
  protocol::Exited exited;
  exited.rank = rank;
  exited.code = code;
  exited.signal = signal;
  return exited;
}

TEST(Ranks, BelongToOneNode) {
  const Plan plan = two_nodes_of_two();
  const Ranks ranks(plan);
  EXPECT_TRUE(ranks.has(1, 2));
  EXPECT_FALSE(ranks.has(0, 2));
  EXPECT_FALSE(ranks.has(1, 4));
}

TEST(Ranks, FailByThemselvesOrAreStopped) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  for (std::uint32_t rank = 0; rank < 4; ++rank) ranks.start({rank, 1, 0, {}, ""});
  EXPECT_FALSE(ranks.end(end_of(0, 0)));
  EXPECT_EQ(ranks.records()[0].state, RankState::done);
  const auto failure = ranks.end(end_of(3, 0, SIGSEGV));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message, "rank 3 on n1 (device 1) failed first: SIGSEGV (Segmentation fault)");
  EXPECT_EQ(failure->signal, SIGSEGV);
  protocol::Exited stopped = end_of(1, 7);
  stopped.stopped_by_us = true;
  EXPECT_FALSE(ranks.end(stopped));
  EXPECT_EQ(ranks.records()[1].state, RankState::stopped);
}

TEST(Ranks, HaveFailedWhenTheyCallAbortHoweverTheyEnd) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  ranks.start({2, 1, 0, {}});
  const Failure failure = ranks.abort({2, 9, "bad shape", 77});
  EXPECT_EQ(failure.message, "rank 2 on n1 (device 0) called MPI_Abort(9): bad shape");
  EXPECT_EQ(failure.exit_status(), 9);
  protocol::Exited stopped = end_of(2, 0, SIGTERM);
  stopped.stopped_by_us = true;
  EXPECT_FALSE(ranks.end(stopped));
  EXPECT_EQ(ranks.records()[2].state, RankState::failed);
  EXPECT_EQ(ranks.records()[2].ended_ns, 77);
}

TEST(Ranks, AreTimedByTheClocksOfTheirNodes) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  protocol::Exited exited = end_of(2, 1);
  exited.time_ns = 5'000;
  ranks.end(exited);
  std::vector<NodeClock> clocks(2);
  clocks[1].read({1'000, 0, 20});
  const std::vector<RankRecord> records = ranks.timed(clocks);
  EXPECT_EQ(records[2].ended, (Moment{4'010, 10}));
  EXPECT_EQ(records[0].ended, std::nullopt) << "it has not ended";
}

TEST(Ranks, AreTimedByTheClockOfTheNodeOnWhichTheyEnded) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  protocol::Exited exited = end_of(2, 0);
  exited.time_ns = 5'000;
  ranks.end(exited);
  std::vector<NodeClock> clocks(2);
  clocks[1].read({1'000, 0, 20});
  ranks.note_times(1, clocks[1]);
  clocks[1] = {};
  clocks[1].read({9'000, 0, 20});
  EXPECT_EQ(ranks.timed(clocks)[2].ended, (Moment{4'010, 10}));
}

TEST(Ranks, OfALostNodeAreNotInMpi) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  for (const std::uint32_t rank : {2U, 3U}) {
    ranks.start({rank, 1, 0, {}, ""});
    EXPECT_TRUE(ranks.join({rank}));
  }
  EXPECT_TRUE(ranks.runs(1, 3));
  EXPECT_FALSE(ranks.runs(0, 3));
  EXPECT_TRUE(ranks.any_in_mpi_beside(2));
  ranks.lose(1);
  EXPECT_FALSE(ranks.any_in_mpi_beside(2));
  EXPECT_FALSE(ranks.runs(1, 3));
}

TEST(Ranks, OfALostNodeAreLostUnlessTheyHadEnded) {
  const Plan plan = two_nodes_of_two();
  Ranks ranks(plan);
  for (std::uint32_t rank = 0; rank < 4; ++rank) ranks.start({rank, 1, 0, {}, ""});
  ranks.end(end_of(2, 0));
  ranks.lose(1);
  EXPECT_EQ(ranks.records()[1].state, RankState::running);
  EXPECT_EQ(ranks.records()[2].state, RankState::done);
  EXPECT_EQ(ranks.records()[3].state, RankState::lost);
}

RankRecord killed(protocol::OutOfMemory out_of_memory) {
  RankRecord record;
  record.state = RankState::failed;
  record.signal = SIGKILL;
  record.out_of_memory = out_of_memory;
  return record;
}

TEST(DescribeEnd, SaysHowItsRankEnded) {
  RankRecord record;
  record.code = 7;
  EXPECT_EQ(describe_end(record), "exit code 7");
  record.signal = SIGSEGV;
  EXPECT_EQ(describe_end(record), "SIGSEGV (Segmentation fault)");
  record.core_dumped = true;
  EXPECT_EQ(describe_end(record), "SIGSEGV (Segmentation fault), core dumped");
  record.core = "/home/ada/core.17";
  EXPECT_EQ(describe_end(record), "SIGSEGV (Segmentation fault), core dumped: /home/ada/core.17");
  record.abort = protocol::Abort{0, 3, "bad shape", 0};
  EXPECT_EQ(describe_end(record), "MPI_Abort(3): bad shape");
  record.abort = protocol::Abort{0, 50, "2 processes of ./worker", 0, protocol::EndingCall::spawn};
  EXPECT_EQ(describe_end(record), "MPI_Comm_spawn of 2 processes of ./worker");
}

TEST(DescribeEnd, TellsAKillForWantOfMemoryApart) {
  EXPECT_EQ(describe_end(killed(protocol::OutOfMemory::yes)), "SIGKILL (Killed), out of memory");
  EXPECT_EQ(describe_end(killed(protocol::OutOfMemory::unknown)),
            "SIGKILL (Killed), not by adarun; perhaps out of memory");
  EXPECT_NE(describe_end(killed(protocol::OutOfMemory::likely)).find("most likely out of memory"),
            std::string::npos);
  EXPECT_EQ(describe_end(killed(protocol::OutOfMemory::no)),
            "SIGKILL (Killed), not by adarun, nor by the kernel for want of memory");
  RankRecord ours = killed(protocol::OutOfMemory::no);
  ours.state = RankState::stopped;
  EXPECT_EQ(describe_end(ours), "SIGKILL (Killed)");
}

}  // namespace
}  // namespace adarun::launcher
