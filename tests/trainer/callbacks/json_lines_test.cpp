// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"
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

// As where members change, and the reader of the pipe has ended with one of them.
TEST(JsonLines, OutliveTheReaderOfAPipe) {
  const test::ScratchFolder folder;
  const std::string pipe = folder.path() / "metrics";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::string> said;
  const Print print = [&said](const std::string& line) { said.push_back(line); };
  base::FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  JsonLines lines(pipe, print);
  lines.step_end({.epoch = 1, .step = 1});
  reader.reset();
  lines.step_end({.epoch = 1, .step = 2});
  JsonLines after_a_change(pipe, print, JsonLines::Unopened::is_told);
  after_a_change.step_end({.epoch = 1, .step = 3});
  const std::string goes_on = "; the training goes on without it";
  EXPECT_EQ(said, (std::vector<std::string>{
                      pipe + ": cannot be written: Broken pipe" + goes_on,
                      pipe + ": cannot be opened for writing: nobody reads from this pipe" + goes_on}));
}

}  // namespace
}  // namespace adarun::trainer
