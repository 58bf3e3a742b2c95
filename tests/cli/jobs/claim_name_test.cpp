// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/claim_name.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

class ClaimName : public testing::Test {
 protected:
  // The status and the message of the refusal; 0 and "" if the name can be had.
  std::pair<int, std::string> refusal_of_name(const std::string& name) {
    try {
      claim_name(index_.path(), name);
    } catch (const Quit& quit) {
      return {quit.status(), quit.what()};
    }
    return {0, ""};
  }

  void enter_named(const std::string& id, const std::string& state,
                   const launcher::SupervisorProcess& supervisor) {
    index_.enter(id, R"("name": "train", "state": ")" + state + R"(", "supervisor": {"host": ")" +
                         supervisor.host + R"(", "pid": )" + std::to_string(supervisor.pid) +
                         R"(, "ticks": )" + std::to_string(supervisor.ticks) + "}");
  }

  JobIndex index_;
  launcher::SupervisorProcess self_ = launcher::supervisor_here("", false);
};

TEST_F(ClaimName, TakesOverTheNameOfAnEndedJob) {
  self_.ticks += 1;  // A process that is gone.
  enter_named("20261121-1", "done", self_);
  enter_named("20261121-2", "running", self_);
  EXPECT_EQ(refusal_of_name("train"), (std::pair<int, std::string>{0, ""})) << "the second one is lost";
}

TEST_F(ClaimName, RefusesTheNameOfARunningJob) {
  enter_named("20261121-1", "running", self_);
  EXPECT_EQ(refusal_of_name("train"),
            (std::pair<int, std::string>{exit_could_not_start,
                                         "--name train: job 20261121-1 has this name and runs; choose "
                                         "another, or stop that job"}));
  EXPECT_EQ(refusal_of_name("train2").first, 0);
}

TEST_F(ClaimName, RefusesTheNameOfAJobThatIsAboutToBeRestarted) {
  enter_named("20261121-1", "failed", self_);
  EXPECT_EQ(refusal_of_name("train").first, exit_could_not_start);
}

TEST_F(ClaimName, RefusesTheBeginningOfAnId) {
  index_.enter("20261121-104502-3fa9c1", R"("state": "done")");
  EXPECT_EQ(
      refusal_of_name("2026"),
      (std::pair<int, std::string>{
          exit_usage, "--name 2026: the id of job 20261121-104502-3fa9c1 begins so; choose another name"}));
  EXPECT_EQ(refusal_of_name("7").first, 0);
}

TEST_F(ClaimName, HoldsTheIndexUntilTheNameIsRecorded) {
  index_.enter("20261121-1", R"("state": "done")");
  base::FileDescriptor claim = claim_name(index_.path(), "a");
  EXPECT_TRUE(claim);
  claim.reset();
  EXPECT_TRUE(claim_name(index_.path(), "b"));
}

}  // namespace
}  // namespace adarun::cli
