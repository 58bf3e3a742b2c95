// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/find_job.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

using Ending = std::pair<int, std::string>;

class FindJob : public testing::Test {
 protected:
  // The status with which `find` ends, and its message.
  template <typename Find>
  static Ending ending_of(Find find) {
    try {
      find();
    } catch (const Quit& quit) {
      return {quit.status(), quit.what()};
    }
    return {exit_done, ""};
  }
  static Ending ending_of_name(const std::string& name) {
    return ending_of([&name] { find_job(name); });
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
  const launcher::SupervisorProcess self = launcher::supervisor_here("", false);
  const std::string supervisor = R"(, "supervisor": {"host": ")" + self.host + R"(", "pid": )" +
                                 std::to_string(self.pid) + R"(, "ticks": )" + std::to_string(self.ticks) +
                                 "}";
  index_.enter("20261121-1", R"("state": "failed", "began_ns": 1)" + supervisor);
  index_.enter("20261121-2", R"("state": "failed", "began_ns": 2)" + supervisor);
  index_.enter("20261121-3", R"("state": "done", "began_ns": 3)");
  EXPECT_EQ(find_job("").id, "20261121-2") << "its supervisor is this process";
  index_.enter("20261121-2", R"("state": "done", "began_ns": 2)" + supervisor);
  EXPECT_EQ(find_job("").id, "20261121-3") << "none runs: its supervisor waits for a reader";
  index_.enter("20261121-2", R"("state": "failed", "began_ns": 2)" + supervisor);
  index_.enter("20261121-4", R"("state": "running", "began_ns": 4)");
  EXPECT_EQ(ending_of_name(""), (Ending{exit_usage, "several jobs run, say which: 20261121-4, 20261121-2"}));
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
  index_.enter("r", R"("state": "running", "began_ns": 0)");
  EXPECT_EQ(find_job("").id, "r");
  index_.enter("s", R"("state": "running", "began_ns": 3)");
  EXPECT_EQ(ending_of_name(""), (Ending{exit_usage, "several jobs run, say which: s, r"}));
}

TEST_F(FindJob, ReachesOnlyJobsOfThisMachine) {
  const std::string here = launcher::supervisor_here("", false).host;
  index_.enter("a", R"("supervisor": {"host": "elsewhere", "folder": "/f"})");
  index_.enter("b", R"("supervisor": {"host": "elsewhere"})");
  index_.enter("c", "\"supervisor\": {\"host\": \"" + here + "\", \"folder\": \"/f\"}");
  EXPECT_EQ(ending_of([] { find_job_here("a"); }),
            (Ending{exit_failed, "job a: was started on elsewhere; ask there"}));
  EXPECT_EQ(ending_of([] { find_job_here("b"); }), (Ending{exit_failed, "job b: it cannot be reached"}));
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
  job.roles = {{"prefill", {"./prefill", "-x"}}, {"decode", {"./decode"}}};
  EXPECT_EQ(command_of(job), "prefill: ./prefill -x; decode: ./decode");
}

}  // namespace
}  // namespace adarun::cli
