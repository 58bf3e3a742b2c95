// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/record/files.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/log_folder.h"
#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text << "\nhas no " << part;
}

// A folder of its own for each test.
class LogFolderTest : public testing::Test {
 protected:
  static Plan plan_named(const std::string& id, const std::string& list = "a:2") {
    JobOptions options;
    options.argv = {"true"};
    const auto hosts = parse_host_list(list);
    return make_plan(table_of(hosts), hosts, {""}, options, {id});
  }

  test::ScratchFolder scratch_;
  const fs::path& root_ = scratch_.path();
  const Plan plan_ = plan_named("j1");
};

TEST_F(LogFolderTest, KeepsTheBytesOfEachRankAsTheyCame) {
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  logs.on_output(1, protocol::Stream::out, "a\r\n\0b");
  logs.on_output(1, protocol::Stream::err, "c");
  EXPECT_EQ(test::content_of(root_ / "log/worker_1.log"), "a\r\n" + std::string("c"));
  EXPECT_EQ(test::content_of(root_ / "log/worker_0.log"), "");
}

TEST_F(LogFolderTest, MasksSecretsInAFileForTheOwnerOnly) {
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  logs.on_started({0,
                   1,
                   0,
                   {"A=1", "MY_api_KEY=hush", "AWS_SECRET_X=hush", "Password=hush", "HF_TOKEN=hush",
                    "PMIX_NAMESPACE=hush", "PMIX_RANK=1"}});
  const fs::path file = root_ / "log/env_0.log";
  EXPECT_EQ(
      test::content_of(file),
      "A=1\nMY_api_KEY=***\nAWS_SECRET_X=***\nPassword=***\nHF_TOKEN=***\nPMIX_NAMESPACE=***\nPMIX_RANK=1\n");
  struct stat facts {};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(LogFolderTest, PutsAnEndedJobAwayUnderItsId) {
  const Plan first = plan_named("j1");
  LogFolder(root_ / "log", root_ / "jobs", first).on_output(0, protocol::Stream::out, "old");
  const Plan second = plan_named("j2");
  const LogFolder logs(root_ / "log", root_ / "jobs", second);
  EXPECT_EQ(test::content_of(root_ / "log.j1/worker_0.log"), "old");
  EXPECT_EQ(test::content_of(root_ / "log/worker_0.log"), "");
  EXPECT_EQ(job_id_in(root_ / "log"), "j2");
}

// Runs a job to its end; `starts`: its ranks.
fs::path run_to_end(const fs::path& root, const Plan& plan, bool starts) {
  LogFolder logs(root / "log", root / "jobs", plan);
  JobReport report{std::vector<RankRecord>(2), {}, {}};
  if (starts) {
    logs.on_started({0, 17, 0, {}});
    report.ranks[0].state = RankState::done;
  }
  logs.finish(report);
  return logs.path();
}

TEST_F(LogFolderTest, LeavesTheEarlierLogsInPlaceIfNoRankHasStarted) {
  EXPECT_EQ(run_to_end(root_, plan_named("j1"), true), root_ / "log");
  EXPECT_EQ(run_to_end(root_, plan_named("j2"), false), root_ / "log.j2");
  EXPECT_EQ(job_id_in(root_ / "log"), "j1");
  EXPECT_EQ(job_id_in(root_ / "log.j2"), "j2");
  const std::string text = test::content_of(root_ / "jobs/j2/job.json");
  EXPECT_TRUE(has(text, (root_ / "log.j2").string() + '"'));
  EXPECT_FALSE(fs::exists(root_ / "log.j1"));
  EXPECT_EQ(run_to_end(root_, plan_named("j3"), true), root_ / "log");
  EXPECT_EQ(job_id_in(root_ / "log.j1"), "j1");
}

TEST_F(LogFolderTest, RenamesLogsOfAJobThatDidNotStartEither) {
  EXPECT_EQ(run_to_end(root_, plan_named("j1"), false), root_ / "log");
  EXPECT_EQ(run_to_end(root_, plan_named("j2"), false), root_ / "log");
  EXPECT_EQ(job_id_in(root_ / "log.j1"), "j1");
}

TEST_F(LogFolderTest, StaysWhereItIsIfTheEarlierLogsAreGone) {
  run_to_end(root_, plan_named("j1"), true);
  const Plan plan = plan_named("j2");
  LogFolder logs(root_ / "log", root_ / "jobs", plan);
  fs::remove_all(root_ / "log.j1");
  logs.finish({std::vector<RankRecord>(2), {}, {}});
  EXPECT_EQ(logs.path(), root_ / "log");
}

TEST_F(LogFolderTest, RefusesTheFolderOfARunningJob) {
  const LogFolder running(root_ / "log", root_ / "jobs", plan_);
  EXPECT_THROW(LogFolder(root_ / "log", root_ / "jobs", plan_), Error);
}

TEST_F(LogFolderTest, TakesAFolderThatItsOwnProcessHolds) {
  const Plan first = plan_named("j1");
  const Plan second = plan_named("j2");
  { const LogFolder ended(root_ / "log", "", first); }
  base::FileDescriptor held = lock_folder(root_ / "log");
  EXPECT_THROW(LogFolder(root_ / "log", "", second), Error) << "another job waits for its next attempt";
  const LogFolder next(root_ / "log", "", second, {.held = std::move(held)});
  EXPECT_EQ(job_id_in(root_ / "log"), "j2");
  EXPECT_EQ(job_id_in(root_ / "log.j1"), "j1");
}

TEST_F(LogFolderTest, RefusesAFolderThatIsNotOurs) {
  fs::create_directories(root_ / "log");
  std::ofstream(root_ / "log/thesis.tex") << "years of work";
  EXPECT_THROW(LogFolder(root_ / "log", root_ / "jobs", plan_), Error);
  EXPECT_EQ(test::content_of(root_ / "log/thesis.tex"), "years of work");
}

TEST_F(LogFolderTest, RefusesAFolderWhereAnyUserMayWrite) {
  fs::create_directories(root_ / "log");
  fs::permissions(root_ / "log", fs::perms::all);
  EXPECT_THROW(LogFolder(root_ / "log", root_ / "jobs", plan_), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "log"));
}

TEST_F(LogFolderTest, RefusesTheFolderOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files to another user";
  fs::create_directories(root_ / "log");
  ASSERT_EQ(::chown((root_ / "log").c_str(), test::another_uid, test::another_uid), 0);
  EXPECT_THROW(LogFolder(root_ / "log", root_ / "jobs", plan_), Error);
  EXPECT_TRUE(fs::is_empty(root_ / "log"));
}

// As another member of a group may leave them in a folder of it.
TEST_F(LogFolderTest, WritesThroughNoLinkAndIntoNoFileThatIsThere) {
  scratch_.write("private", "mine");
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  for (const char* name : {"env_0.log", "hang_0.txt", "job.json.new", "rank_table.json.new"})
    fs::create_symlink(root_ / "private", root_ / "log" / name);
  std::ofstream(root_ / "log/env_1.log") << "";
  fs::permissions(root_ / "log/env_1.log", fs::perms(0666));
  fs::create_hard_link(root_ / "log/env_1.log", root_ / "kept open");
  for (const std::uint32_t rank : {0U, 1U}) logs.on_started({rank, 17, 0, {"A=1"}});
  ExaminedRank hung;
  hung.text = "stack";
  logs.on_examined(hung);
  logs.finish({std::vector<RankRecord>(2), {}, {}});
  EXPECT_EQ(test::content_of(root_ / "private"), "mine");
  EXPECT_EQ(test::content_of(root_ / "kept open"), "");
  EXPECT_EQ(test::content_of(root_ / "log/env_0.log"), "A=1\n");
  EXPECT_EQ(fs::status(root_ / "log/env_1.log").permissions(), fs::perms(0600));
}

TEST_F(LogFolderTest, WritesIntoItsFolderWhateverHasThatName) {
  scratch_.write("elsewhere/worker_1.log", "a secret");
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  fs::rename(root_ / "log", root_ / "moved");
  fs::create_directory_symlink("elsewhere", root_ / "log");
  logs.on_started({0, 17, 0, {"A=1"}});
  JobReport report{std::vector<RankRecord>(2), {{Failure::Kind::rank_failed, 1, 0, 7, 0, "broke"}}, {}};
  logs.finish(report);
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "elsewhere"), {}), 1);
  EXPECT_FALSE(has(test::content_of(root_ / "moved/job.json"), "secret"));
  EXPECT_TRUE(fs::exists(root_ / "moved/env_0.log"));
}

TEST_F(LogFolderTest, RefusesAFolderOfAJobWhoseIdWouldLeadElsewhere) {
  fs::create_directories(root_ / "log");
  fs::create_directories(root_ / "bin");
  for (const std::string id : {"/../bin/x", "x/../../bin/x", "..", "a.b", "", "a b"}) {
    std::ofstream(root_ / "log/job.json") << R"({"id": ")" << id << R"(", "ranks": []})";
    EXPECT_EQ(job_id_in(root_ / "log"), "") << id;
    EXPECT_THROW(LogFolder(root_ / "log", "", plan_), Error) << id;
    EXPECT_TRUE(fs::exists(root_ / "log/job.json")) << id;
  }
  EXPECT_TRUE(fs::is_empty(root_ / "bin"));
  EXPECT_FALSE(is_plain_id(std::string(65, 'a')));
}

TEST_F(LogFolderTest, SaysInJobFileAndIndexHowItEnded) {
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  EXPECT_TRUE(has(test::content_of(root_ / "log/job.json"), "\"state\": \"running\""));
  JobReport report{
      std::vector<RankRecord>(2), {{Failure::Kind::rank_failed, 1, 0, 7, 0, "rank 1 broke"}}, {}};
  logs.finish(report);
  const std::string text = test::content_of(root_ / "jobs/j1/job.json");
  EXPECT_EQ(text, test::content_of(root_ / "log/job.json"));
  EXPECT_TRUE(has(text, "\"state\": \"failed\""));
  EXPECT_TRUE(has(text, "\"status\": 7"));
}

TEST_F(LogFolderTest, SaysInJobFileAndIndexWhichRanksRun) {
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  logs.on_started({0, 17, 0, {}});
  logs.on_started({1, 18, 0, {}});
  const std::string text = test::content_of(root_ / "log/job.json");
  EXPECT_FALSE(has(text, "\"waiting\"")) << text;
  EXPECT_TRUE(has(text, "\"pid\": 18"));
  EXPECT_TRUE(has(text, "\"state\": \"running\""));
  EXPECT_EQ(text, test::content_of(root_ / "jobs/j1/job.json"));
}

TEST_F(LogFolderTest, SaysFirstWhichAttemptItIs) {
  Plan plan = plan_named("j3");
  plan.earlier.resize(2);
  plan.earlier[0].job_id = "j1";
  plan.earlier[1].job_id = "j2";
  plan.earlier[1].failure = "node b: gone";
  plan.earlier[1].change = "b is lost; s joins";
  LogFolder logs(root_ / "log", root_ / "jobs", plan);
  const std::string events = test::content_of(root_ / "log/events.jsonl");
  EXPECT_TRUE(has(events,
                  "\"event\":\"attempt\",\"attempt\":3,\"first_job_id\":\"j1\",\"before\":\"j2\","
                  "\"failure\":\"node b: gone\",\"change\":\"b is lost; s joins\"}\n"));
}

TEST_F(LogFolderTest, SaysWhichSpareHasTakenAPlace) {
  Plan plan = plan_named("j1");
  LogFolder logs(root_ / "log", root_ / "jobs", plan);
  replace_node(plan, 0, plan_named("j1", "s:2"));
  logs.on_replaced(0, "a");
  const std::string events = test::content_of(root_ / "log/events.jsonl");
  EXPECT_TRUE(has(events, "\"event\":\"replaced\",\"node\":\"a\",\"spare\":\"s\"}"));
  const std::string job = test::content_of(root_ / "log/job.json");
  EXPECT_TRUE(has(job, "\"node\": \"s\""));
  EXPECT_FALSE(has(job, "\"node\": \"a\"")) << job;
  const std::size_t replaced = job.find("\"replaced_nodes\": [\n    {\n      \"host\": \"a\",");
  ASSERT_NE(replaced, std::string::npos) << job;
  EXPECT_TRUE(
      has(job.substr(replaced), "\"number\": 0,\n      \"ranks\": [\n        0,\n        1\n      ]"));
}

TEST_F(LogFolderTest, WritesItsEndWhereItsFolderWasMovedToAndLeavesTheNextJobAlone) {
  LogFolder logs(root_ / "log", root_ / "jobs", plan_);
  fs::rename(root_ / "log", root_ / "moved");
  const Plan next = plan_named("j2");
  const LogFolder others(root_ / "log", root_ / "jobs", next);
  logs.on_failure({});
  EXPECT_EQ(job_id_in(root_ / "log"), "j2");
  logs.finish({std::vector<RankRecord>(2), {}, {}});
  EXPECT_EQ(job_id_in(root_ / "log"), "j2");
  EXPECT_TRUE(has(test::content_of(root_ / "moved/job.json"), "\"state\": \"done\""));
}

}  // namespace
}  // namespace adarun::launcher
