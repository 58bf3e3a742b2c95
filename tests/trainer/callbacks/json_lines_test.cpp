// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/callbacks/json_lines.h"

namespace adarun::trainer {
namespace {

using std::chrono::milliseconds;

/// A named pipe, with one end of it to read from while `reader` is open.
struct NamedPipe {
  NamedPipe() { EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0); }

  test::ScratchFolder folder;
  std::string name = folder.path() / "pipe";
  base::FileDescriptor reader;
};

/// Whose reader is there, and reads nothing yet.
struct ReadPipe : NamedPipe {
  ReadPipe() { reader = base::FileDescriptor(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)); }
};

TEST(LineFile, IsAppendedTo) {
  const test::ScratchFolder folder;
  const std::string file = folder.write("lines", "one\n");
  LineFile(file, milliseconds(1)).write("two");
  EXPECT_EQ(test::content_of(file), "one\ntwo\n");
}

TEST(LineFile, WaitsForNoReaderOfAPipe) {
  const NamedPipe pipe;
  EXPECT_EQ(testing_data::refusal([&] { LineFile(pipe.name, milliseconds(1)); }),
            pipe.name + ": cannot be opened for writing: nobody reads from this pipe");
}

TEST(LineFile, SurvivesTheEndOfItsReader) {
  ReadPipe pipe;
  LineFile file(pipe.name, milliseconds(1));
  file.write("read");
  pipe.reader.reset();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(testing_data::refusal([&] { file.write("unread"); }),
              pipe.name + ": cannot be written: Broken pipe");
}

TEST(LineFile, WaitsNotForEverForAReader) {
  ReadPipe pipe;
  LineFile file(pipe.name, milliseconds(1));
  EXPECT_EQ(testing_data::refusal([&] {
              for (int i = 0; i < 100; ++i) file.write(std::string(10'000, 'x'));
            }),
            pipe.name + ": cannot be written: its reader does not read");
}

// Longer than what a pipe takes at once.
TEST(LineFile, WritesAWholeLineToASlowReader) {
  ReadPipe pipe;
  const std::string line(1'000'000, 'x');
  ASSERT_EQ(::fcntl(pipe.reader.get(), F_SETFL, 0), 0);  // It blocks.
  auto file = std::make_optional<LineFile>(pipe.name, std::chrono::minutes(1));
  std::thread writer([&] {
    EXPECT_NO_THROW(file->write(line));
    file.reset();
  });
  std::string read;
  std::array<char, 5000> part{};
  for (ssize_t size = 1; size > 0;) {
    size = ::read(pipe.reader.get(), part.data(), part.size());
    if (size > 0) read.append(part.data(), static_cast<std::size_t>(size));
  }
  writer.join();
  EXPECT_EQ(read, line + "\n");
}

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
                                           "training continues without it"});
}

TEST(JsonLines, DoNotEndATrainingThatHasBegun) {
  std::vector<std::string> said;
  const JsonLines::Unopened told = JsonLines::Unopened::is_told;
  JsonLines lines(
      "/proc/none/metrics", [&said](const std::string& line) { said.push_back(line); }, told);
  lines.step_end({.epoch = 1, .step = 1});
  EXPECT_EQ(said,
            std::vector<std::string>{"/proc/none/metrics: cannot be opened for writing: No such file or "
                                     "directory; the training continues without it"});
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
  const std::string continues = "; the training continues without it";
  EXPECT_EQ(said, (std::vector<std::string>{
                      pipe + ": cannot be written: Broken pipe" + continues,
                      pipe + ": cannot be opened for writing: nobody reads from this pipe" + continues}));
}

}  // namespace

}  // namespace adarun::trainer
