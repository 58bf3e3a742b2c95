// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/start_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/read_text.h"
#include "tests/launcher/plan/sample_plan.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

// Of two nodes of one rank each, the first one's is started again before the second one's starts.
TEST(StartTrace, CountsARankThatIsStartedAgainOnce) {
  const test::ScratchFolder folder;
  const Plan plan = plan_of("n[0-1]:1");
  StartTrace trace(plan, 1);
  trace.on_plan_sent();
  for (const std::uint32_t rank : {0U, 0U, 1U}) trace.on_started({rank, 100 + rank, 0, {}});
  trace.write(folder.path() / "trace.json");
  std::map<int, int> runs;  // of each process: the launcher and the nodes
  const auto json = nlohmann::json::parse(base::read_text(folder.path() / "trace.json"));
  for (const auto& event : json["traceEvents"])
    if (event["name"] == "run") ++runs[event["pid"].get<int>()];
  EXPECT_EQ(runs, (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}));
}

}  // namespace
}  // namespace adarun::launcher
