// SPDX-License-Identifier: Apache-2.0
#include "cli/session/job_session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "launcher/job/job_signals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

TEST(JobSession, LeavesNoFolderInTheIndexOfAJobThatWasNeverRecorded) {
  const std::string id = "20261121-104502-aaaaaa";
  const test::ScratchFolder scratch;
  LaunchOptions options;
  options.job_index = scratch.path() / "jobs";
  const launcher::SignalGuard signals;
  launcher::JobInput input;
  for (const bool is_recorded : {false, true}) {
    const fs::path folder = scratch.path() / "jobs" / id;
    {
      JobSession session(signals, input, nullptr);
      session.take(options, id);
      EXPECT_TRUE(fs::exists(folder));
      if (is_recorded) scratch.write("jobs/" + id + "/job.json", "{}");
    }
    EXPECT_EQ(fs::exists(folder), is_recorded);
    EXPECT_FALSE(fs::exists(folder / "socket"));
  }
}

}  // namespace
}  // namespace adarun::cli
