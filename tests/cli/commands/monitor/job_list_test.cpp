// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/job_list.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

class JobListTest : public testing::Test {
 protected:
  std::vector<std::string> states() {
    std::vector<std::string> found;
    for (const monitor::web::JobEntry& job : list_.read()) found.push_back(job.id + " " + job.state);
    return found;
  }

  // Writes the same number of bytes at the same time as before.
  void change(const std::string& id, const std::string& from, const std::string& to) {
    const fs::path file = index_.path() / id / "job.json";
    const auto written = fs::last_write_time(file);
    std::string text;
    std::getline(std::ifstream(file), text, '\0');
    text.replace(text.find(from), from.size(), to);
    std::ofstream(file, std::ios::trunc) << text;
    fs::last_write_time(file, written);
  }

  using Found = std::vector<std::string>;
  JobIndex index_;
  JobList list_;
};

TEST_F(JobListTest, ShowsTheNewestFirst) {
  index_.enter("a", R"("state": "done", "began_ns": 1)");
  index_.enter("b", R"("state": "failed", "began_ns": 2)");
  index_.scratch().write("adarun/jobs/c/job.json", "half of a fi");
  EXPECT_EQ(states(), (Found{"b failed", "a done"}));
  fs::remove_all(index_.path() / "b");
  EXPECT_EQ(states(), Found{"a done"});
}

TEST_F(JobListTest, ReadsAJobThatHasEndedOnce) {
  index_.enter("a", R"("state": "done")");
  EXPECT_EQ(states(), Found{"a done"});
  change("a", "done", "DONE");
  EXPECT_EQ(states(), Found{"a done"}) << "it was read again";
  const fs::path file = index_.path() / "a/job.json";
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_EQ(states(), Found{"a DONE"});
}

TEST_F(JobListTest, ReadsAJobThatRunsAgain) {
  index_.enter("a", R"("state": "running")");
  const Found first = states();
  ASSERT_EQ(first.size(), 1U);
  change("a", "running", "stopped");
  EXPECT_EQ(states(), Found{"a stopped"});
}

}  // namespace
}  // namespace adarun::cli
