// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/attempts.h"

#include <gtest/gtest.h>

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
