// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/find_job.h"

#include <gtest/gtest.h>

#include "base/wall_clock.h"
#include "cli/arguments/command.h"
#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"
#include "tests/cli/refusals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using Ending = std::pair<int, std::string>;

class FindJob : public testing::Test {
 protected:
  static Ending ending_of_name(const std::string& name) {
    return exit_of([&name] { find_job(name); });
  }

  JobIndex index_;
};

TEST_F(FindJob, ListsTheIndexTheNewestFirst) {
  index_.enter("a", R"("began_ns": 1)");
  index_.enter("c", R"("began_ns": 3)");
  index_.enter("b", R"("began_ns": 3)");
  index_.scratch().write("adarun/jobs/d/job.json", "half of a fi");
  index_.scratch().write("adarun/jobs/e/output", "");
  std::string ids;
  for (const JobFile& job : indexed_jobs()) ids += job.id;
  EXPECT_EQ(ids, "cba") << "what cannot be read is left out";
}

TEST_F(FindJob, TakesAnIdOrTheOnlyBeginningOfOne) {
  index_.enter("20261121-1", R"("state": "done")");
  index_.enter("20261121-10", R"("state": "done")");
  index_.enter("20261122-1", R"("state": "done")");
  EXPECT_EQ(find_job("20261121-1").id, "20261121-1") << "which is also the beginning of another";
  EXPECT_EQ(find_job("20261122").id, "20261122-1");
  EXPECT_EQ(ending_of_name("20261121"), (Ending{exit_usage, "20261121: 2 jobs begin so; see adarun ps -a"}));
  EXPECT_EQ(ending_of_name("2027"),
            (Ending{exit_failed, "2027: no such job in " + index_.path().string() + ", and no folder"}));
}

TEST_F(FindJob, TakesWithoutANameTheOneThatRunsAlsoBetweenItsAttempts) {
  const std::string supervisor = ", " + supervisor_member(this_supervisor());
  index_.enter("20261121-1", R"("state": "failed", "began_ns": 1)" + supervisor);
  index_.enter("20261121-2", R"("state": "failed", "began_ns": 2)" + supervisor);
  index_.enter("20261121-3", R"("state": "done", "began_ns": 3)");
  EXPECT_EQ(find_job("").id, "20261121-2") << "its supervisor is this process";
  index_.enter("20261121-2", R"("state": "done", "began_ns": 2)" + supervisor);
  EXPECT_EQ(find_job("").id, "20261121-3") << "none runs: its supervisor waits for a reader";
  index_.enter("20261121-2", R"("state": "failed", "began_ns": 2)" + supervisor);
  launcher::SupervisorProcess other = this_supervisor();
  other.folder = "/f";
  index_.enter("20261121-4", R"("state": "running", "began_ns": 4, )" + supervisor_member(other));
  EXPECT_TRUE(ending_of_name("").second.starts_with("several jobs run, say which:\n  20261121-4: "));
}

TEST_F(FindJob, TakesANameAndMeansTheNewestJobThatHasIt) {
  index_.enter("20261121-1", R"("name": "train", "began_ns": 1)");
  index_.enter("20261121-2", R"("name": "train", "began_ns": 2)");
  index_.enter("20261122-1", R"("name": "2", "began_ns": 3)");
  EXPECT_EQ(find_job("train").id, "20261121-2");
  EXPECT_EQ(find_job("2").id, "20261122-1") << "a name is no beginning of an id";
  EXPECT_EQ(ending_of_name("trai").first, exit_failed) << "the beginning of a name is none";
}

TEST_F(FindJob, PrefersANameToAFolderUnlessThatIsAnotherJobs) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(index_.scratch().path());
  index_.enter("20261121-1", R"("name": "train")");
  index_.scratch().write("train/model.py", "");
  EXPECT_EQ(find_job("train").id, "20261121-1");
  index_.scratch().write("train/job.json", R"({"id": "20261121-1"})");
  EXPECT_EQ(find_job("train").id, "20261121-1");
  index_.scratch().write("train/job.json", R"({"id": "other"})");
  EXPECT_EQ(ending_of_name("train"),
            (Ending{exit_usage,
                    "train: the name of job 20261121-1, and here the log folder of job other; say the "
                    "id, or ./train for the folder"}));
  EXPECT_EQ(find_job("./train").id, "other");
  std::filesystem::current_path(before);
}

TEST_F(FindJob, TakesALogFolder) {
  index_.scratch().write("logs/job.json", R"({"id": "j"})");
  index_.scratch().write("empty/other", "");
  EXPECT_EQ(find_job(index_.scratch().path() / "logs").id, "j");
  const std::string empty = index_.scratch().path() / "empty";
  EXPECT_EQ(ending_of_name(empty), (Ending{exit_failed, empty + ": no job.json in this folder"}));
}

TEST_F(FindJob, TakesWithoutANameTheOnlyOneThatRunsElseTheLast) {
  EXPECT_EQ(ending_of_name(""), (Ending{exit_failed, "no job in " + index_.path().string()}));
  index_.enter("a", R"("state": "done", "began_ns": 1)");
  index_.enter("b", R"("state": "done", "began_ns": 2)");
  EXPECT_EQ(find_job("").id, "b");
  index_.enter("q", R"("state": "running", "began_ns": 1, "supervisor": {"host": "elsewhere"})");
  EXPECT_EQ(find_job("").id, "b") << "that of another machine does not count";
  index_.enter("r", R"("state": "running", "began_ns": 0, )" + supervisor_member(this_supervisor()));
  EXPECT_EQ(find_job("").id, "r");
  launcher::SupervisorProcess other = this_supervisor();
  other.folder = "/f";
  index_.enter("s", R"("state": "running", "began_ns": 3, )" + supervisor_member(other));
  EXPECT_EQ(ending_of_name("").first, exit_usage);
}

TEST_F(FindJob, ListsTheJobsThatRunHereByNameProgramAndAge) {
  const std::string here = ", " + supervisor_member(this_supervisor());
  const std::string began = std::to_string(base::now_ns() - 63'500'000'000);
  index_.enter(
      "a", R"("name": "eval", "state": "running", "argv": ["./eval", "--all"], "began_ns": )" + began + here);
  index_.enter("b",
               R"("state": "running", "began_ns": )" + began + R"(, "supervisor": {"host": "elsewhere"})");
  EXPECT_EQ(find_job("").id, "a") << "that of another machine does not count";
  launcher::SupervisorProcess other = this_supervisor();
  other.folder = "/f";
  index_.enter("c", R"("state": "running", "argv": ["./train"], "began_ns": )" + began + ", " +
                        supervisor_member(other));
  EXPECT_EQ(ending_of_name(""), (Ending{exit_usage,
                                        "several jobs run, say which:\n  c: ./train, for 1 min 3 s\n"
                                        "  eval: ./eval --all, for 1 min 3 s"}));
}

TEST_F(FindJob, ReachesOnlyJobsOfThisMachine) {
  const std::string here = launcher::supervisor_here("", false).host;
  index_.enter("a", R"("supervisor": {"host": "elsewhere", "folder": "/f"})");
  index_.enter("b", R"("supervisor": {"host": "elsewhere"})");
  index_.enter("c", "\"supervisor\": {\"host\": \"" + here + "\", \"folder\": \"/f\"}");
  EXPECT_EQ(exit_of([] { find_job_here("a"); }),
            (Ending{exit_failed, "job a: was started on elsewhere; ask there"}));
  EXPECT_EQ(exit_of([] { find_job_here("b"); }), (Ending{exit_failed, "job b: it cannot be reached"}));
  EXPECT_EQ(find_job_here("c").id, "c");
}

TEST_F(FindJob, KnowsTheLastRunOfARestartedJob) {
  index_.enter("a", R"("began_ns": 1, "supervisor": {"host": "h", "pid": 7})");
  index_.enter("b", R"("began_ns": 2, "supervisor": {"host": "h", "pid": 7})");
  index_.enter("c", R"("began_ns": 3, "supervisor": {"host": "h", "pid": 8})");
  EXPECT_EQ(last_run_of(find_job("a")).id, "b");
  EXPECT_EQ(last_run_of(find_job("c")).id, "c");
}

TEST_F(FindJob, KnowsTheLastRunOfAJobOfAnotherIndexFromItsLogFolder) {
  const std::string logs = index_.scratch().path() / "logs";
  const auto write = [this, &logs](const std::string& id, const std::string& state, int pid) {
    index_.scratch().write("logs/job.json",
                           R"({"id": ")" + id + R"(", "log_dir": ")" + logs + R"(", "state": ")" + state +
                               R"(", "supervisor": {"host": "h", "pid": )" + std::to_string(pid) + "}}");
  };
  write("a", "running", 7);
  const JobFile job = find_job(logs);
  EXPECT_EQ(job.state, "running");
  write("b", "interrupted", 7);
  EXPECT_EQ(last_run_of(job).id, "b");
  EXPECT_EQ(last_run_of(job).state, "interrupted");
  write("c", "done", 8);
  EXPECT_EQ(last_run_of(job).id, "a") << "another job has the folder now";
}

TEST_F(FindJob, KnowsTheLastAttemptAtAJobByTheIdOfTheFirst) {
  const auto attempts = [](const std::string& ids) {
    return R"("state": "failed", "earlier_attempts": [)" + ids + "]";
  };
  const auto attempt = [](const std::string& id) { return R"({"id": ")" + id + R"("})"; };
  const std::string first = "20261121-104502-aaaaaa";
  const std::string second = "20261121-104503-bbbbbb";
  index_.enter(first, attempts("") + R"(, "began_ns": 1)");
  index_.enter(second, attempts(attempt(first)) + R"(, "began_ns": 2)");
  index_.enter("20261121-104504-cccccc",
               attempts(attempt(first) + "," + attempt(second)) + R"(, "began_ns": 3)");
  index_.enter("20261121-104505-dddddd", attempts("") + R"(, "began_ns": 4)");
  EXPECT_EQ(last_attempt_of(find_job(first)).id, "20261121-104504-cccccc");
  EXPECT_EQ(last_attempt_of(find_job(second)).id, second) << "one attempt of several";
  EXPECT_EQ(last_attempt_of(find_job("20261121-104505-dddddd")).id, "20261121-104505-dddddd");
}

TEST_F(FindJob, ShowsTheCommandInOneLine) {
  JobFile job;
  job.argv = {"python3", "train.py", "--note", "a\nb"};
  EXPECT_EQ(command_of(job), "python3 train.py --note a b");
  job.roles = {{"prefill", {}, {"./prefill", "-x"}}, {"decode", {}, {"./decode"}}};
  EXPECT_EQ(command_of(job), "prefill: ./prefill -x; decode: ./decode");
}

class ClaimName : public testing::Test {
 protected:
  std::pair<int, std::string> refusal_of_name(const std::string& name) {
    return exit_of([&] { claim_name(index_.path(), name); });
  }

  void enter_named(const std::string& id, const std::string& state,
                   const launcher::SupervisorProcess& supervisor) {
    index_.enter(id, R"("name": "train", "state": ")" + state + "\", " + supervisor_member(supervisor));
  }

  JobIndex index_;
};

TEST_F(ClaimName, TakesOverTheNameOfAnEndedJob) {
  enter_named("20261121-1", "done", gone_supervisor());
  enter_named("20261121-2", "running", gone_supervisor());
  EXPECT_EQ(refusal_of_name("train"), (std::pair<int, std::string>{0, ""})) << "the second one is lost";
}

TEST_F(ClaimName, RefusesTheNameOfARunningJob) {
  enter_named("20261121-1", "running", this_supervisor());
  EXPECT_EQ(refusal_of_name("train"),
            (std::pair<int, std::string>{exit_could_not_start,
                                         "--name train: job 20261121-1 has this name and runs; choose "
                                         "another, or stop that job"}));
  EXPECT_EQ(refusal_of_name("train2").first, 0);
}

TEST_F(ClaimName, RefusesTheNameOfAJobThatIsAboutToBeRestarted) {
  enter_named("20261121-1", "failed", this_supervisor());
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
  const std::string here = ", " + supervisor_member(this_supervisor());
  const std::string gone = ", " + supervisor_member(gone_supervisor());
  const std::string id = "20261121-104502-aaaaaa";
  const auto is_open = [&](const std::string& members) {
    index.enter(id, R"("began_ns": 1, )" + members);
    return may_continue(find_job(id));
  };
  const std::string failed = R"("state": "failed", "first_failure": {"kind": "rank_failed"})";
  const std::string resized = R"("state": "interrupted", "first_failure": {"kind": "resized"})";
  EXPECT_TRUE(is_open(failed + here));
  EXPECT_TRUE(is_open(resized + here));
  EXPECT_FALSE(is_open(failed + gone));
  EXPECT_FALSE(is_open(resized + gone));
  EXPECT_FALSE(is_open(R"("state": "interrupted", "first_failure": {"kind": "interrupted"})" + here));
  EXPECT_FALSE(is_open(R"("state": "done")" + here));
  const std::string job_end = R"(, "job_end": {"state": "interrupted", "status": 130, "failure": "ended"})";
  EXPECT_FALSE(is_open(resized + job_end + here)) << "it ended while its nodes changed";
  index.enter("20261121-104503-bbbbbb", R"("state": "running", "began_ns": 2)" + here);
  EXPECT_FALSE(is_open(failed + here)) << "the next one runs";
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
