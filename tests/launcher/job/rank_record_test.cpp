// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/ranks.h"

#include <gtest/gtest.h>

#include <csignal>

namespace adarun::launcher {
namespace {

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
