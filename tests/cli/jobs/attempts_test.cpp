// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/attempts.h"

#include <gtest/gtest.h>

#include "cli/jobs/find_job.h"
#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

constexpr const char* first_id = "20261125-093231-4ab0a8";

JobFile second_attempt() {
  JobFile job;
  job.id = "20261125-093233-9c21d0";
  job.ranks = {{0, "done", "node3"}, {1, "done", "node3"}, {2, "done", "node1"}};
  job.earlier = {{.job_id = first_id,
                  .duration = std::chrono::milliseconds(1200),
                  .nodes = "node[1-2]",
                  .world_size = 4,
                  .failure = "node2: \x1b[31mit is gone",
                  .change = "node2 is lost; node3 joins"}};
  return job;
}

TEST(Attempts, AreCountedFromOne) {
  JobFile job = second_attempt();
  EXPECT_EQ(attempt_of(job), 2U);
  EXPECT_EQ(first_id_of(job), first_id);
  EXPECT_EQ(node_list_of(job), "node[1,3]");
  job.earlier.clear();
  EXPECT_EQ(attempt_of(job), 1U);
  EXPECT_EQ(first_id_of(job), job.id);
}

TEST(Attempts, AreToldInOneCleanLine) {
  EXPECT_EQ(
      text_of(second_attempt().earlier[0]),
      std::string(first_id) + " on node[1-2], 4 ranks, 1.2 s: node2: it is gone; node2 is lost; node3 joins");
}

TEST(Attempts, HaveTheirLogsBesideThoseOfTheLast) {
  const test::ScratchFolder scratch;
  const JobFile job = second_attempt();
  const std::filesystem::path logs = scratch.path() / "logs";
  const std::string earlier = logs.string() + "." + first_id;
  std::filesystem::create_directory(logs);
  EXPECT_EQ(log_dir_of(job.earlier[0], job, logs), "") << "is gone";
  scratch.write(std::string("logs.") + first_id + "/job.json", R"({"id": "20261125-000000-000000"})");
  EXPECT_EQ(log_dir_of(job.earlier[0], job, logs), "") << "is another job";
  scratch.write(std::string("logs.") + first_id + "/job.json", "{\"id\": \"" + std::string(first_id) + "\"}");
  EXPECT_EQ(log_dir_of(job.earlier[0], job, logs), earlier);
  EXPECT_EQ(log_dir_of(job.earlier[0], job, logs.string() + "/"), earlier);
  EXPECT_EQ(log_dir_of(job.earlier[0], job, logs.string() + "." + job.id), earlier) << "was renamed itself";
}

TEST(Attempts, MayFollowOneThatFailedOrWhoseNodesChangeWhileTheSupervisorRuns) {
  const JobIndex index;
  const launcher::SupervisorProcess self = launcher::supervisor_here("", false);
  const auto supervisor = [&self](std::uint64_t ticks) {
    return R"(, "supervisor": {"host": ")" + self.host + R"(", "pid": )" + std::to_string(self.pid) +
           R"(, "ticks": )" + std::to_string(ticks) + "}";
  };
  const std::string id = "20261121-104502-aaaaaa";
  const auto is_open = [&](const std::string& members) {
    index.enter(id, R"("began_ns": 1, )" + members);
    return may_go_on(find_job(id));
  };
  const std::string failed = R"("state": "failed", "first_failure": {"kind": "rank_failed"})";
  const std::string resized = R"("state": "interrupted", "first_failure": {"kind": "resized"})";
  EXPECT_TRUE(is_open(failed + supervisor(self.ticks)));
  EXPECT_TRUE(is_open(resized + supervisor(self.ticks)));
  EXPECT_FALSE(is_open(failed + supervisor(self.ticks + 1))) << "another process has its number now";
  EXPECT_FALSE(is_open(resized + supervisor(self.ticks + 1)));
  EXPECT_FALSE(is_open(R"("state": "interrupted", "first_failure": {"kind": "interrupted"})" +
                       supervisor(self.ticks)));
  EXPECT_FALSE(is_open(R"("state": "done")" + supervisor(self.ticks)));
  const std::string job_end = R"(, "job_end": {"state": "interrupted", "status": 130, "failure": "ended"})";
  EXPECT_FALSE(is_open(resized + job_end + supervisor(self.ticks))) << "it ended while its nodes changed";
  index.enter("20261121-104503-bbbbbb", R"("state": "running", "began_ns": 2)" + supervisor(self.ticks));
  EXPECT_FALSE(is_open(failed + supervisor(self.ticks))) << "the next one runs";
}

TEST(Attempts, AreNotLookedForBehindALink) {
  const test::ScratchFolder scratch;
  const JobFile job = second_attempt();
  scratch.write("other/job.json", "{\"id\": \"" + std::string(first_id) + "\"}");
  std::filesystem::create_directory_symlink(scratch.path() / "other",
                                            scratch.path() / (std::string("logs.") + first_id));
  EXPECT_EQ(log_dir_of(job.earlier[0], job, scratch.path() / "logs"), "");
}

}  // namespace
}  // namespace adarun::cli
