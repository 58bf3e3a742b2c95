// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/job_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "launcher/record/job_file.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

// The job of this job.json.
JobFile job_of_text(const std::string& text) {
  const test::ScratchFolder scratch;
  scratch.write("job.json", text);
  return read_job(scratch.path()).value();
}

// The message of find_logs for a place where nothing can be read; empty if something can.
std::string refusal_of_place(const std::string& place) {
  try {
    find_logs({place});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST(JobFile, IsReadFromTheFolder) {
  const JobFile job = job_of_text(
      R"({"id": "j", "name": "n", "state": "failed", "log_dir": "/logs", "world_size": 2, "status": 7,
      "began_ns": 5, "duration_ms": 6, "argv": ["a", "b c"], "failures": ["it failed"], "first_failure": {"kind": "rank_failed"},
      "supervisor": {"host": "here", "pid": 17, "ticks": 18, "folder": "/f", "detached": 1},
      "nodes": [{"host": "n1", "user": "ada", "port": 2222}],
      "ranks": [{"rank": 0, "state": "failed", "node": "n1", "device_id": 0, "pid": 17}, {"rank": 1, "state": "stopped", "node": "n1"}]})");
  EXPECT_EQ(job.id, "j");
  EXPECT_EQ(job.name, "n");
  EXPECT_EQ(job.state, "failed");
  EXPECT_FALSE(job.running());
  EXPECT_EQ(job.log_dir, "/logs");
  EXPECT_EQ(job.world_size, 2U);
  EXPECT_EQ(job.status, 7);
  EXPECT_EQ(job.began_ns, 5);
  EXPECT_EQ(job.duration_ms, 6);
  EXPECT_EQ(job.argv, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(job.failures, (std::vector<std::string>{"it failed"}));
  EXPECT_EQ(job.failure_kind, "rank_failed");
  EXPECT_EQ(job.supervisor, (launcher::SupervisorProcess{"here", 17, 18, "/f", true}));
  ASSERT_EQ(job.hosts.size(), 1U);
  EXPECT_EQ(job.hosts[0].name + job.hosts[0].user + std::to_string(job.hosts[0].port), "n1ada2222");
  ASSERT_EQ(job.ranks.size(), 2U);
  EXPECT_EQ(job.ranks[1].state + job.ranks[1].node, "stoppedn1");
  EXPECT_EQ(job.ranks[0].device_id, 0);
  EXPECT_EQ(job.ranks[0].pid, 17);
  EXPECT_EQ(job.ranks[1].device_id, std::nullopt);
}

TEST(JobFile, HasTheRolesOfTheJob) {
  const JobFile job = job_of_text(
      R"({"id": "j", "argv": ["a"], "roles": [{"name": "x", "argv": ["a"]}, 1, {"name": 2, "argv": ["b", "c"]}],
      "ranks": [{"rank": 0, "role": "x"}, {"rank": 1}]})");
  ASSERT_EQ(job.roles.size(), 2U);
  EXPECT_EQ(job.roles[0].name, "x");
  EXPECT_EQ(job.roles[1].name, "");
  EXPECT_EQ(job.roles[1].argv, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(job.ranks[0].role, "x");
  EXPECT_EQ(job.ranks[1].role, "");
}

TEST(JobFile, LeavesOutWhatIsOfAnotherKind) {
  const JobFile job = job_of_text(R"({"id": 7, "world_size": "two", "argv": ["a", 1], "failures": "none",
      "supervisor": [], "nodes": [1], "ranks": [{"rank": "x"}, 2]})");
  EXPECT_EQ(job.id, "");
  EXPECT_EQ(job.world_size, 0U);
  EXPECT_EQ(job.status, std::nullopt);
  EXPECT_EQ(job.argv, (std::vector<std::string>{"a"}));
  EXPECT_TRUE(job.failures.empty());
  EXPECT_EQ(job.supervisor, launcher::SupervisorProcess());
  EXPECT_TRUE(job.hosts.empty());
  ASSERT_EQ(job.ranks.size(), 1U);
  EXPECT_EQ(job.ranks[0].rank, 0U);
}

TEST(JobFile, HasTheNodesThatSparesHaveReplaced) {
  const JobFile job = job_of_text(R"({"id": "j", "replaced_nodes": [1,
      {"host": "n2", "user": "ada", "port": 22, "number": 1, "ranks": [2, "x", 3]},
      {"number": "x", "ranks": 7}]})");
  ASSERT_EQ(job.replaced.size(), 2U);
  EXPECT_EQ(job.replaced[0].host.name + job.replaced[0].host.user, "n2ada");
  EXPECT_EQ(job.replaced[0].host.port, 22);
  EXPECT_EQ(job.replaced[0].number, 1U);
  EXPECT_EQ(job.replaced[0].ranks, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_TRUE(job.replaced[1].ranks.empty());
}

TEST(JobFile, HasTheAttemptsBeforeIt) {
  const JobFile job = job_of_text(R"({"id": "20261125-093233-9c21d0", "earlier_attempts": [
      {"id": "20261125-093231-4ab0a8", "began_ns": 5, "duration_ms": 1200, "nodes": "node[1-2]", "world_size": 4,
       "status": 125, "failure": "node2: it is gone", "change": "node2 is lost; node3 joins"}]})");
  ASSERT_EQ(job.earlier.size(), 1U);
  const launcher::EarlierAttempt& attempt = job.earlier[0];
  EXPECT_EQ(attempt.job_id, "20261125-093231-4ab0a8");
  EXPECT_EQ(attempt.began_ns, 5);
  EXPECT_EQ(attempt.duration, std::chrono::milliseconds(1200));
  EXPECT_EQ(attempt.nodes, "node[1-2]");
  EXPECT_EQ(attempt.world_size, 4U);
  EXPECT_EQ(attempt.status, 125);
  EXPECT_EQ(attempt.failure + attempt.change, "node2: it is gonenode2 is lost; node3 joins");
}

TEST(JobFile, HasNoIdThatCouldNameAnotherFolder) {
  for (const char* id : {"/../../ada/bin", "..", "a/b", "a.b", "a b"})
    EXPECT_EQ(job_of_text(std::string(R"({"id": ")") + id + "\"}").id, "") << id;
}

TEST(JobFile, LeavesOutAttemptsWhoseIdsCouldNameOtherFolders) {
  for (const char* id :
       {"\"../../x\"", "\"\"", "\"/etc\"", "\"20261125-093231-4ab0a8/..\"", "\"20261125-093231-4ab0a\"", "7"})
    EXPECT_TRUE(job_of_text(std::string(R"({"earlier_attempts": [{"id": )") + id + "}, 7]}").earlier.empty())
        << id;
  EXPECT_TRUE(job_of_text(R"({"earlier_attempts": "none"})").earlier.empty());
}

TEST(JobFile, IsLostWhereItsSupervisorIsGone) {
  const auto state_with = [](const launcher::SupervisorProcess& supervisor) {
    return job_of_text(R"({"state": "running", )" + supervisor_member(supervisor) + "}").state;
  };
  EXPECT_EQ(state_with(this_supervisor()), "running");
  EXPECT_EQ(state_with(gone_supervisor()), "lost");
}

TEST(JobFile, KnowsHowLongTheJobRan) {
  using std::chrono::milliseconds;
  EXPECT_EQ(job_of_text(R"({"state": "done", "duration_ms": 1500})").ran_for(), milliseconds(1500));
  EXPECT_GT(job_of_text(R"({"state": "running", "began_ns": 1})").ran_for(), std::chrono::hours(24));
  using namespace std::chrono_literals;
  EXPECT_EQ(job_of_text(R"({"state": "running", "began_ns": 9223372036854775807})").ran_for(), 0ms);
  EXPECT_GT(job_of_text(R"({"state": "running", "began_ns": -9223372036854775808})").ran_for(), 24h);
  JobFile lost;
  lost.state = "lost";
  EXPECT_EQ(lost.ran_for(), std::nullopt);
}

TEST(JobFile, IsNoneWhereItIsNestedSoDeepThatTheStackWouldOverflow) {
  const test::ScratchFolder scratch;
  const std::string deep(1'000'000, '[');
  scratch.write("job.json", "{\"id\": \"1\", \"argv\": " + deep + std::string(deep.size(), ']') + "}");
  EXPECT_FALSE(readable_job(scratch.path()));
  EXPECT_EQ(launcher::job_id_in(scratch.path()), "");
}

TEST(JobFile, HasItsLogFolderWhereThatCannotBeReached) {
  const test::ScratchFolder scratch;
  const std::filesystem::path loop = scratch.path() / "loop";
  std::filesystem::create_symlink(loop, loop);
  JobFile job;
  job.id = "20261121-1";
  job.log_dir = loop / "logs";
  EXPECT_EQ(log_dir_of(job), loop / "logs");
}

TEST(JobFile, IsNoneInAFolderWithoutOne) {
  const test::ScratchFolder scratch;
  EXPECT_FALSE(read_job(scratch.path()).has_value());
}

TEST(JobFile, IsNotWaitedForInAPipe) {
  const test::ScratchFolder scratch;
  ASSERT_EQ(mkfifo((scratch.path() / "job.json").c_str(), S_IRUSR | S_IWUSR), 0);
  EXPECT_FALSE(read_job(scratch.path()).has_value());
}

TEST(JobFile, IsRefusedWhereItIsNoObject) {
  for (const char* text : {"", "[]", "{\"id\": ", "7"})
    EXPECT_THROW(job_of_text(text), std::runtime_error) << text;
}

TEST(FindLogs, TakesFilesAndFoldersThatAreThere) {
  const test::ScratchFolder scratch;
  const std::string file = scratch.write("a.log", "");
  const LogPlaces found = find_logs({file, scratch.path()});
  EXPECT_EQ(found.places, (std::vector<std::filesystem::path>{file, scratch.path()}));
  EXPECT_EQ(found.name, file + " " + scratch.path().string());
  EXPECT_FALSE(found.job().has_value()) << "of two places";
}

TEST(FindLogs, TakesTheFolderOfAJobInTheIndex) {
  const JobIndex index;
  const std::string logs = index.scratch().path() / "logs";
  index.scratch().write("logs/job.json", R"({"id": "20261121-1"})");
  index.enter("20261121-1", "\"log_dir\": \"" + logs + "\"");
  EXPECT_EQ(find_logs({"20261121-1"}).places, (std::vector<std::filesystem::path>{logs}));
  EXPECT_EQ(find_logs({"20261121-1"}).job()->id, "20261121-1");
}

TEST(FindLogs, TakesANameAndTheBeginningOfAnId) {
  const JobIndex index;
  const std::string logs = index.scratch().path() / "logs";
  index.scratch().write("logs/job.json", R"({"id": "20261121-1"})");
  index.enter("20261121-1", R"("name": "train", "log_dir": ")" + logs + "\"");
  for (const std::string word : {"train", "2026"})
    EXPECT_EQ(find_logs({word}).places, (std::vector<std::filesystem::path>{logs})) << word;
}

TEST(FindLogs, FollowsAFolderThatTheNextJobRenamed) {
  const JobIndex index;
  const std::string logs = index.scratch().path() / "logs";
  index.scratch().write("logs.20261121-1/worker_0.log", "");
  index.scratch().write("logs/worker_0.log", "");
  index.enter("20261121-1", "\"log_dir\": \"" + logs + "\"");
  EXPECT_EQ(find_logs({"20261121-1"}).places, (std::vector<std::filesystem::path>{logs + ".20261121-1"}));
}

TEST(FindLogs, SaysWhereItHasLooked) {
  const JobIndex index;
  index.enter("20261121-1", R"("log_dir": "/nowhere/logs")");
  for (const std::string place : {"none", "a/b", ".hidden"})
    EXPECT_EQ(refusal_of_place(place), "nothing to read: \"" + place +
                                           "\" is no file or folder here and no job in " +
                                           index.path().string());
  EXPECT_EQ(refusal_of_place("20261121-1"),
            "nothing to read: the log folder of job 20261121-1, /nowhere/logs, is gone");
}

}  // namespace
}  // namespace adarun::cli
