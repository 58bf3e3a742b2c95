// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/scratch_folder.h"

namespace adarun::trainer {
namespace {

TEST(JsonLines, AreALineForEachEvent) {
  const test::ScratchFolder folder;
  const std::string file = folder.path() / "metrics.json";
  JsonLines lines(file, [](const std::string& line) { ADD_FAILURE() << line; });
  lines.step_dropped({.epoch = 1, .step = 11}, 3, 512);
  EXPECT_EQ(test::content_of(file),
            "{\"event\":\"dropped\",\"epoch\":1,\"step\":11,\"rank\":3,\"loss_scale\":512.0}\n");
}

TEST(JsonLines, SayOnceThatTheyCannotBeWritten) {
  std::vector<std::string> said;
  JsonLines lines("/dev/full", [&said](const std::string& line) { said.push_back(line); });
  lines.step_end({.epoch = 1, .step = 1});
  lines.step_end({.epoch = 1, .step = 2});
  EXPECT_EQ(said, std::vector<std::string>{"/dev/full: cannot be written: No space left on device; the "
                                           "training goes on without it"});
}

TEST(JsonLines, DoNotEndATrainingThatHasBegun) {
  std::vector<std::string> said;
  const JsonLines::Unopened told = JsonLines::Unopened::is_told;
  JsonLines lines(
      "/proc/none/metrics", [&said](const std::string& line) { said.push_back(line); }, told);
  lines.step_end({.epoch = 1, .step = 1});
  EXPECT_EQ(said,
            std::vector<std::string>{"/proc/none/metrics: cannot be opened for writing: No such file or "
                                     "directory; the training goes on without it"});
}

}  // namespace
}  // namespace adarun::trainer
