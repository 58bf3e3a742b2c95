// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/ended_jobs.h"

#include <gtest/gtest.h>

#include "base/unix_socket.h"
#include "cli/arguments/command.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

class EndedJobs : public testing::Test {
 protected:
  // A job whose folder is `folder`, with a log.
  void add(const std::string& id, const std::string& folder, const std::string& members) {
    const std::string text = R"("state": "done", "log_dir": ")" + path_of("logs") + "\", " + members;
    index_.scratch().write(folder + "/job.json", R"({"id": ")" + id + "\", " + text + "}");
    index_.scratch().write(folder + "/worker_0.log", std::string(5000, 'x'));
    index_.enter(id, text);
  }

  std::string path_of(const std::string& name) const { return index_.scratch().path() / name; }

  // "ID FOLDER" of each, in order.
  std::string found_at(const std::vector<std::string>& places = {}) const {
    std::string text;
    for (const EndedJob& ended : ended_jobs(places))
      text += (text.empty() ? "" : ", ") + ended.job.id + " " + ended.folder.filename().string();
    return text;
  }

  JobIndex index_;
};

TEST_F(EndedJobs, AreThoseOfTheIndexTheNewestFirst) {
  add("a-1", "logs.a-1", R"("began_ns": 1)");
  add("a-2", "logs", R"("began_ns": 2)");
  index_.enter("a-3", R"("state": "done", "began_ns": 3, "log_dir": "/nowhere/logs")");
  EXPECT_EQ(found_at(), "a-3 , a-2 logs, a-1 logs.a-1");
  const EndedJob oldest = ended_jobs({}).back();
  EXPECT_EQ(oldest.entry, index_.path() / "a-1");
  EXPECT_GE(oldest.size_bytes, 5000U);
}

TEST_F(EndedJobs, AreAlsoThoseThatTheIndexHasForgotten) {
  add("a-1", "logs.a-1", R"("began_ns": 1)");
  add("a-2", "logs", R"("began_ns": 2)");
  fs::remove_all(index_.path() / "a-1");
  EXPECT_EQ(found_at(), "a-2 logs, a-1 logs.a-1");
  EXPECT_EQ(ended_jobs({}).back().entry, "");
}

TEST_F(EndedJobs, AreNeverThoseThatRun) {
  add("a-1", "logs.a-1", "\"began_ns\": 1, " + supervisor_member(this_supervisor()));
  EXPECT_EQ(found_at(), "") << "its supervisor may start it again";
  index_.scratch().write("logs.a-1/job.json", R"({"id": "a-1", "state": "running"})");
  index_.enter("a-1", "\"state\": \"running\", \"log_dir\": \"" + path_of("logs") + "\"");
  EXPECT_EQ(found_at({path_of("logs.a-1")}), "") << "it may run on another machine";
  add("a-2", "logs", R"("began_ns": 2)");
  EXPECT_EQ(found_at(), "a-2 logs");
  const base::FileDescriptor lock = launcher::lock_folder(path_of("logs"));
  EXPECT_EQ(found_at(), "");
}

TEST_F(EndedJobs, AreNotThoseOfOtherMachinesThatMayRun) {
  const std::string shared = index_.path() / "a-1";
  add("a-1", "logs.a-1", R"("began_ns": 1, )" + supervisor_member({"elsewhere", 1, 1, shared, false}));
  EXPECT_EQ(found_at(), "a-1 logs.a-1");
  const base::FileDescriptor left(base::listen_at(shared + "/socket"));
  ASSERT_TRUE(left);
  EXPECT_EQ(found_at(), "") << "its supervisor is at a later attempt, or was killed";
  EXPECT_THROW(ended_jobs({"a-1"}), ExitError);
  launcher::drop_from_index(shared);
  EXPECT_TRUE(fs::exists(shared + "/socket"));
}

TEST_F(EndedJobs, AreNotLaterAttemptsOfOneThatRuns) {
  const std::string first = index_.path() / "a-1";
  const std::string later = index_.path() / "a-2";
  const std::string supervisor = R"("began_ns": 1, )" + supervisor_member({"here", 1, 1, first, false});
  for (const char* id : {"a-1", "a-2"}) index_.enter(id, R"("state": "running", )" + supervisor);
  const base::FileDescriptor socket = base::listen_at(first + "/socket");
  ASSERT_TRUE(socket);
  launcher::drop_from_index(later);
  EXPECT_TRUE(fs::exists(later));
  fs::remove(first + "/socket");
  launcher::drop_from_index(later);
  EXPECT_FALSE(fs::exists(later));
}

TEST_F(EndedJobs, AreNotThoseOfOtherTools) {
  index_.scratch().write("runs/other/job.json", R"({"id": "abc", "state": "succeeded"})");
  index_.scratch().write("runs/other/metrics.jsonl", "");
  EXPECT_EQ(found_at({path_of("runs")}), "");
}

TEST_F(EndedJobs, AreFoundAtBesideAndInAFolder) {
  add("a-1", "logs.a-1", R"("began_ns": 1)");
  add("a-2", "logs", R"("began_ns": 2)");
  add("a-3", "runs/one", R"("began_ns": 3)");
  index_.scratch().write("runs/two/notes", "");
  index_.scratch().write("logs.old/job.json", R"({"id": "a-1", "state": "done"})");
  EXPECT_EQ(found_at({path_of("logs")}), "a-2 logs, a-1 logs.a-1");
  EXPECT_EQ(found_at({path_of("runs/")}), "a-3 one");
  EXPECT_EQ(found_at({path_of("runs"), path_of("logs.a-1")}), "a-3 one, a-1 logs.a-1");
  EXPECT_EQ(found_at({index_.path()}), "") << "copies of job.json";
  EXPECT_THROW(found_at({path_of("none")}), ExitError);
}

TEST_F(EndedJobs, AreFoundByIdOrName) {
  add("a-1", "logs.a-1", R"("began_ns": 1)");
  add("a-2", "logs", R"("began_ns": 2, "name": "run7")");
  index_.enter("b-1", R"("state": "done", "log_dir": "/nowhere/logs")");
  index_.enter("b-2", R"("state": "running")");
  EXPECT_EQ(found_at({"a-1"}), "a-1 logs.a-1");
  EXPECT_EQ(found_at({"run7"}), "a-2 logs");
  EXPECT_EQ(found_at({"b-1"}), "b-1 ");
  EXPECT_THROW(found_at({"b-2"}), ExitError) << "it runs";
}

TEST_F(EndedJobs, AreNotFoundThroughLinks) {
  add("a-1", "elsewhere", R"("began_ns": 1)");
  fs::create_directory(path_of("runs"));
  fs::create_symlink(path_of("elsewhere"), path_of("runs/link"));
  fs::create_symlink(path_of("elsewhere"), path_of("logs"));
  EXPECT_EQ(found_at({path_of("runs")}), "");
  EXPECT_EQ(found_at(), "a-1 ") << "only its entry in the index";
}

class RemoveJob : public testing::Test {
 protected:
  RemoveJob() {
    scratch().write("logs/job.json", R"({"id": "a-1"})");
    scratch().write("logs/worker_0.log", "x");
    scratch().write("logs/worker_12.kept.log", "x");
    scratch().write("logs/worker_12.kept.1.log", "x");
    index_.enter("a-1", R"("state": "done")");
    ended_.job.id = "a-1";
    ended_.folder = scratch().path() / "logs";
    ended_.entry = index_.path() / "a-1";
  }

  const test::ScratchFolder& scratch() const { return index_.scratch(); }

  JobIndex index_;
  EndedJob ended_;
};

TEST_F(RemoveJob, TakesTheFolderAndTheEntry) {
  remove_job(ended_);
  EXPECT_FALSE(fs::exists(ended_.folder));
  EXPECT_FALSE(fs::exists(ended_.entry));
  EXPECT_TRUE(fs::exists(index_.path()));
}

TEST_F(RemoveJob, LeavesAFolderWithWhatIsNotAdaruns) {
  scratch().write("data/weights", "years of work");
  fs::create_directory_symlink(scratch().path() / "data", ended_.folder / "data");
  EXPECT_THROW(remove_job(ended_), ExitError);
  fs::remove(ended_.folder / "data");
  scratch().write("logs/weights", "came meanwhile");
  EXPECT_THROW(remove_job(ended_), ExitError);
  for (const char* kept : {"data/weights", "logs/weights", "logs/job.json", "logs/worker_0.log"})
    EXPECT_TRUE(fs::exists(scratch().path() / kept)) << kept;
}

TEST_F(RemoveJob, RefusesAFolderThatIsInUseOrAnothersByNow) {
  {
    const base::FileDescriptor lock = launcher::lock_folder(ended_.folder);
    EXPECT_THROW(remove_job(ended_), ExitError);
  }
  scratch().write("logs/job.json", R"({"id": "a-2"})");
  EXPECT_THROW(remove_job(ended_), ExitError);
  EXPECT_TRUE(fs::exists(ended_.folder / "worker_0.log"));
  EXPECT_TRUE(fs::exists(ended_.entry));
}

TEST_F(RemoveJob, NamesWhatIsNotAdaruns) {
  EXPECT_EQ(foreign_file_of(ended_), "");
  scratch().write("logs/thesis.tex", "years of work");
  EXPECT_EQ(foreign_file_of(ended_), "thesis.tex");
}

}  // namespace

}  // namespace adarun::cli
