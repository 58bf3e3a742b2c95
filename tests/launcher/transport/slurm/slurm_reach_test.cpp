// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/slurm/slurm_reach.h"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "launcher/base/error.h"
#include "tests/launcher/await.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

TEST(Srun, TakesNoWordOfTheProgramForAnOptionOfItsOwn) {
  const std::vector<std::string> program{"--prolog=/tmp/x", "--resume", "--output=/tmp/y"};
  const std::vector<std::string> command = srun_command("/usr/bin/srun", "node1", 2, program);
  const auto end = std::find(command.begin(), command.end(), "--");
  ASSERT_NE(end, command.end());
  EXPECT_EQ(std::vector<std::string>(end + 1, command.end()), program);
}

TEST(Srun, IsNotTakenFromTheCurrentFolder) {
  const test::ScratchFolder scratch;
  for (const char* name : {"srun", "bin/srun"})
    std::filesystem::permissions(scratch.append(name, "#!/bin/sh\n"), std::filesystem::perms::owner_all);
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string path = std::getenv("PATH");
  std::filesystem::current_path(scratch.path());
  ::setenv("PATH", ":.:bin:", 1);
  EXPECT_THROW(find_srun(), Error);
  ::setenv("PATH", ("::bin:" + (scratch.path() / "bin").string()).c_str(), 1);
  EXPECT_EQ(find_srun(), scratch.path() / "bin/srun");
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::current_path(before);
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

// A program in the place of srun, which writes its number to a file and waits for a step without end.
class WaitingSrun : public testing::Test {
 protected:
  WaitingSrun() {
    std::ofstream(srun_) << "#!/bin/sh\necho $$ >" << number_.string() << ".part && mv " << number_.string()
                         << ".part " << number_.string() << "\nexec sleep 1000\n";
    std::filesystem::permissions(srun_, std::filesystem::perms::owner_all);
  }

  const test::ScratchFolder scratch_;
  const std::filesystem::path srun_ = std::filesystem::path(scratch_.path()) / "srun";
  const std::filesystem::path number_ = std::filesystem::path(scratch_.path()) / "number";
  base::FileLimit files_;
};

TEST_F(WaitingSrun, StartsWhenTheLinkOpensAndEndsWithIt) {
  SrunLink link(srun_command(srun_, "node1", 1, {"agent"}), files_);
  EXPECT_EQ(link.fd(), -1);
  ASSERT_TRUE(link.open());
  ASSERT_TRUE(await([this] { return std::filesystem::exists(number_); }));
  pid_t srun = -1;
  std::ifstream(number_) >> srun;
  ASSERT_GT(srun, 0);
  EXPECT_EQ(kill(srun, 0), 0);
  ASSERT_TRUE(await([&link] { return link.close(); }));
  EXPECT_EQ(kill(srun, 0), -1);
}

}  // namespace
}  // namespace adarun::launcher
