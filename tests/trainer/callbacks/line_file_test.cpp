// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/line_file.h"

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

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"

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

}  // namespace
}  // namespace adarun::trainer
