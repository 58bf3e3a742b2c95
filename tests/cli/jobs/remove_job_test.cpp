// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/remove_job.h"

#include <gtest/gtest.h>

#include "cli/arguments/command.h"
#include "launcher/record/folder_lock.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_THROW(remove_job(ended_), Quit);
  fs::remove(ended_.folder / "data");
  scratch().write("logs/weights", "came meanwhile");
  EXPECT_THROW(remove_job(ended_), Quit);
  for (const char* kept : {"data/weights", "logs/weights", "logs/job.json", "logs/worker_0.log"})
    EXPECT_TRUE(fs::exists(scratch().path() / kept)) << kept;
}

TEST_F(RemoveJob, RefusesAFolderThatIsInUseOrAnothersByNow) {
  {
    const base::FileDescriptor lock = launcher::lock_folder(ended_.folder);
    EXPECT_THROW(remove_job(ended_), Quit);
  }
  scratch().write("logs/job.json", R"({"id": "a-2"})");
  EXPECT_THROW(remove_job(ended_), Quit);
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
