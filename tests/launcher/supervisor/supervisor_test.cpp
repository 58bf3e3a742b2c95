// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/supervisor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/read_text.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/transport/local/local_reach.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The id of the attempt with this index: another one in each process, as the node refuses a second job of one
// id and several of these tests may run at once.
std::string attempt_id(std::size_t index) {
  return "20261121-104502-" + std::to_string(getpid()) + "a" + std::to_string(index);
}

// Notes what the supervisor tells it.
class NotingFrontend : public Frontend {
 public:
  AttemptOptions next_attempt(const Placement& placement, std::vector<EarlierAttempt> earlier) override {
    if (earlier.size() == last_attempts) throw std::runtime_error("stage: data.bin: no such file");
    AttemptOptions attempt;
    attempt.job_id = attempt_id(earlier.size());
    attempt.rank_table = placement.table_text;
    attempt.earlier = std::move(earlier);
    return attempt;
  }
  base::FileDescriptor enter(const SupervisorProcess& process, const std::string& job_id) override {
    notes.push_back("enter " + job_id);
    EXPECT_TRUE(fs::is_directory(process.folder));
    if (refuses) throw Error("--name a: job b has this name and runs");
    return {};
  }
  JobObserver& begin(const Plan& plan) override {
    notes.push_back("begin " + plan.job_id);
    return observer_;
  }
  void all_started() override { notes.emplace_back("all started"); }
  void end() override { notes.emplace_back("end"); }
  void report(const Plan&, const JobReport& report, const LogFolder&) override {
    notes.push_back("status " + std::to_string(report.exit_status()));
  }
  int wait_for_readers(std::optional<std::chrono::seconds> at_most, const SignalGuard&) override {
    notes.emplace_back(at_most ? "wait" : "wait without limit");
    return 0;
  }

  Words notes;
  bool refuses = false;
  std::size_t last_attempts = 9;

 private:
  JobObserver observer_;
};

// A job on this machine of one rank, which runs a shell script.
class SupervisedJob : public testing::Test {
 protected:
  SupervisedJob() {
    options_.log_dir = "log";
    options_.log_folder = scratch_.path() / "log";
    options_.job_index = scratch_.path() / "jobs";
    reach_.reach = local_reach();
    reach_.agent = AGENT_PROGRAM;
    reach_.log = &log_;
    placement_.hosts = read_hosts("a:1");
    placement_.table = table_of(placement_.hosts);
    log_.show(base::Level::error);
  }

  int run(const std::string& script) {
    options_.argv = {"/bin/sh", "-c", script};
    JobInput input;
    Supervisor job(options_, reach_, placement_, input, frontend_);
    return job.run();
  }

  std::string recorded(const std::string& id) const {
    return base::read_text((scratch_.path() / "jobs" / id / "job.json").string());
  }

  bool is_indexed(const std::string& id) const { return fs::exists(scratch_.path() / "jobs" / id); }

  const test::ScratchFolder scratch_;
  base::Log log_{"adarun"};
  JobOptions options_;
  ReachOptions reach_;
  Placement placement_;
  NotingFrontend frontend_;
};

TEST_F(SupervisedJob, TellsItsFrontEndOfAnAttempt) {
  EXPECT_EQ(run("exit 7"), 7);
  EXPECT_EQ(frontend_.notes, (Words{"enter " + attempt_id(0), "begin " + attempt_id(0), "all started", "end",
                                    "status 7", "wait without limit"}));
  EXPECT_NE(recorded(attempt_id(0)).find("\"failed\""), std::string::npos);
}

TEST_F(SupervisedJob, RunsAnotherAttemptWhereTheUserWantsSo) {
  options_.restarts.most = 1;
  EXPECT_EQ(run("test $ADARUN_RESTART_COUNT = 1 || exit 7"), 0);
  EXPECT_EQ(frontend_.notes, (Words{"enter " + attempt_id(0), "begin " + attempt_id(0), "all started", "end",
                                    "status 7", "wait", "begin " + attempt_id(1), "all started", "end",
                                    "status 0", "wait without limit"}));
}

TEST_F(SupervisedJob, RecordsWhyThereIsNoNextAttempt) {
  options_.restarts.most = 1;
  frontend_.last_attempts = 1;
  try {
    run("exit 7");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stage: data.bin: no such file");
  }
  EXPECT_NE(recorded(attempt_id(0)).find("data.bin: no such file"), std::string::npos);
}

TEST_F(SupervisedJob, LeavesNoFolderInTheIndexOfAJobThatWasNeverRecorded) {
  frontend_.refuses = true;
  EXPECT_THROW(run("true"), Error);
  EXPECT_FALSE(is_indexed(attempt_id(0)));
  EXPECT_FALSE(fs::exists(options_.log_folder));
  frontend_.refuses = false;
  EXPECT_EQ(run("true"), 0);
  EXPECT_TRUE(is_indexed(attempt_id(0)));
  EXPECT_FALSE(is_indexed(attempt_id(0) + "/socket"));
}

}  // namespace
}  // namespace adarun::launcher
