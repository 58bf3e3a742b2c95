// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/monitor/summaries.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <utility>
#include <vector>

#include "monitor/view/summary.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

constexpr std::int64_t noon_of_day_ms = 1'795'262'400'000;  // 2026-11-21 12:00:00 UTC

class FindingTimes : public testing::Test {
 protected:
  FindingTimes() {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  // The findings of a run with this log, after these attempts, dated.
  std::vector<monitor::RunFinding> dated(const std::string& log, std::vector<EarlierRun> earlier = {}) {
    const AskedRun asked{"run", {{scratch_.write("worker_0.log", log)}, "run"}, {}, std::move(earlier)};
    const ReadRun read = std::move(read_runs({asked}, {}).front());
    std::vector<monitor::RunFinding> findings = monitor::summary_of(*read.run).findings;
    date_findings(findings, read);
    return findings;
  }

  test::ScratchFolder scratch_;
};

TEST_F(FindingTimes, AreThoseOfTheLinesThatShowThem) {
  const auto findings = dated(
      "2026-11-21 11:59:59 epoch: 1 step: 1, loss is 2.3\n"
      "2026-11-21 12:00:00 epoch: 1 step: 2, loss is nan\n"
      "2026-11-21 12:00:01 epoch: 1 step: 3, loss is 2.3\n");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].step, 2U);
  EXPECT_EQ(findings[0].time_ms, noon_of_day_ms);
}

TEST_F(FindingTimes, AreNotKnownOfLinesWithoutTimes) {
  const auto findings = dated("epoch: 1 step: 1, loss is 2.3\nepoch: 1 step: 2, loss is nan\n");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].time_ms, 0);
}

TEST_F(FindingTimes, LeaveOutADamagedLogOfAnEarlierAttempt) {
  scratch_.write("earlier/worker_0.log.gz", "no gzip data");
  const auto findings = dated(
      "2026-11-21 11:59:59 epoch: 1 step: 1, loss is 2.3\n"
      "2026-11-21 12:00:00 epoch: 1 step: 2, loss is nan\n",
      {{"id", scratch_.path() / "earlier", 2, "restart"}});
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].time_ms, noon_of_day_ms);
}

}  // namespace
}  // namespace adarun::cli
