// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_of.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "launcher/base/error.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

std::string failure_of(const std::string& script, std::chrono::milliseconds deadline) {
  try {
    return "printed: " + output_of({"sh", "-c", script}, deadline);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OutputOf, IsWhatAProgramPrints) {
  EXPECT_EQ(output_of({"sh", "-c", "echo 'node[1-2]'; echo careful >&2"}, std::chrono::seconds(40)),
            "node[1-2]\n");
}

/// Whether some process has a fifo open, also 5 s later.
bool stays_open(const std::string& fifo) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < end) {
    const int written = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (written < 0) return false;
    ::close(written);
    ::poll(nullptr, 0, 10);
  }
  return true;
}

TEST(OutputOf, LeavesNothingOfAProgramThatIsLate) {
  const test::ScratchFolder folder;
  const std::string fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(failure_of("sleep 1000 <>" + fifo + " & echo begun; wait", std::chrono::milliseconds(300)),
            "sh: has not ended within 300 ms");
  EXPECT_FALSE(stays_open(fifo));
}

TEST(OutputOf, SaysWhyThereIsNone) {
  const std::chrono::seconds long_enough{40};
  EXPECT_EQ(failure_of("echo no broker >&2; exit 1", long_enough), "sh: has printed nothing: no broker");
  EXPECT_EQ(failure_of("exit 3", long_enough), "sh: has printed nothing: exit status 3");
  EXPECT_EQ(failure_of("exec sleep 1000", std::chrono::milliseconds(100)), "sh: has not ended within 100 ms");
  EXPECT_EQ(failure_of("exec yes", long_enough), "sh: prints more than 1 MiB");
  EXPECT_THROW(output_of({"no-such-program-of-adarun"}, long_enough), Error);
}

}  // namespace
}  // namespace adarun::launcher
