// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/slurm/srun.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace adarun::launcher {
namespace {

TEST(Srun, TakesNoWordOfTheProgramForAnOptionOfItsOwn) {
  const std::vector<std::string> program{"--prolog=/tmp/x", "--resume", "--output=/tmp/y"};
  const std::vector<std::string> command = srun_command("/usr/bin/srun", {"node1", 2}, program);
  const auto end = std::find(command.begin(), command.end(), "--");
  ASSERT_NE(end, command.end());
  EXPECT_EQ(std::vector<std::string>(end + 1, command.end()), program);
}

// The message of Slurm 22.05.
TEST(Srun, SaysWhenItsJobIsOver) {
  for (const char* words : {
           "srun: error: Slurm job 3 has expired\n",
           "srun: error: Unable to confirm allocation for job 3: Invalid job id specified\n",
           "srun: error: Unable to create step for job 3: Job/step already completing or completed\n",
       })
    EXPECT_TRUE(says_job_is_over(words)) << words;
}

TEST(Srun, SaysOtherThingsOfAJobThatGoesOn) {
  for (const char* words : {
           "",
           "srun: error: Task launch for StepId=1.6 failed on node node2: Communication connection failure\n",
           "slurmstepd-node2: error: *** STEP 2.0 ON node2 CANCELLED AT 2026-11-22T16:06:04 ***\n",
           "srun: error: Unable to create step for job 1: More processors requested than permitted\n",
       })
    EXPECT_FALSE(says_job_is_over(words)) << words;
}

}  // namespace
}  // namespace adarun::launcher
