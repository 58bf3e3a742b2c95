// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_log.h"

#include <gtest/gtest.h>

#include "tests/launcher/plan/sample_plan.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class JobLogTest : public testing::Test, public JobObserver {
 protected:
  JobLogTest() {
    log_.divert([this](const std::string& line) { said_.push_back(line); });
    log_.show(base::Level::debug);
  }

  static JobOptions options() {
    JobOptions options;
    options.argv = {"train", "--password=hunter2"};
    options.environment = {"TOKEN=hunter2"};
    return options;
  }

  bool has_room() const override { return has_room_; }

  Lines said_;
  base::Log log_{"adarun"};
  bool has_room_ = true;
  Plan plan_ = plan_of("n[0-1]:2", options());
};

TEST_F(JobLogTest, TellsThePlanWithoutArguments) {
  const JobLog told(plan_, *this, log_);
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_NE(said_[0].find("4 ranks on 2 nodes, program train, mpi auto"), std::string::npos) << said_[0];
  EXPECT_EQ(said_[2], "n1: plan: 2 ranks from 2");
  for (const std::string& line : said_) EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
}

TEST_F(JobLogTest, TellsWhichFailureCountedAndWhatFollowed) {
  JobLog told(plan_, *this, log_);
  said_.clear();
  const Failure failure = rank_failure(plan_, 3, Failure::Kind::rank_failed, "exited with code 7");
  told.on_failure(failure);
  Failure first = failure;
  first.code = 7;
  told.end(
      {.ranks = std::vector<RankRecord>(4), .failures = {first}, .duration = 1'500ms, .followers = {0, 1}});
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_EQ(said_[0], "failure, rank_failed: " + failure.message);
  EXPECT_EQ(said_[1], "end after 1.5 s, exit status 7; first: " + failure.message + "; after it: ranks 0,1");
}

TEST_F(JobLogTest, TellsOfOutputThatIsHeldUpForLong) {
  JobLog told(plan_, *this, log_);
  said_.clear();
  const JobLog::Clock::time_point begin{};
  has_room_ = false;
  told.look_at_reader(begin);
  told.look_at_reader(begin + 900ms);
  has_room_ = true;
  told.look_at_reader(begin + 950ms);
  EXPECT_EQ(said_, Lines{});
  has_room_ = false;
  told.look_at_reader(begin + 1s);
  told.look_at_reader(begin + 2s);
  told.look_at_reader(begin + 3s);
  has_room_ = true;
  told.look_at_reader(begin + 4s);
  EXPECT_EQ(said_, (Lines{"nobody reads the output: it stays with the nodes",
                          "the output is read again, after 3 s"}));
}

}  // namespace
}  // namespace adarun::launcher
