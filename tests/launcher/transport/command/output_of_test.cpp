// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/output_of.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "launcher/protocol/frame.h"
#include "tests/launcher/error_of.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

std::string failure_of(const std::string& script, std::chrono::milliseconds deadline) {
  return error_of([&] { output_of({"sh", "-c", script}, deadline); });
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

const std::string first_line(protocol::magic);

std::string altered(std::string line) {
  return line.insert(line.size() - 1, "\r");
}

TEST(OutputWatch, FindsTheAgentBehindAnyGreetingAndInAnyPieces) {
  const std::string text = "Welcome\r\n\x01 no agent\n" + first_line + "more\r\n";
  for (std::size_t size : {std::size_t{1}, std::size_t{7}, text.size()}) {
    OutputWatch watch;
    for (std::size_t at = 0; at < text.size(); at += size) watch.take(text.substr(at, size));
    EXPECT_TRUE(watch.has_agent()) << size;
  }
}

TEST(OutputWatch, RefusesLineEndsThatATerminalHasChanged) {
  for (const std::string& line : {altered(first_line), altered("\x01"
                                                               "adarun-agent wanted: agent\n")}) {
    OutputWatch watch;
    watch.take("Welcome\r\n" + line.substr(0, 9));
    EXPECT_TRUE(watch.has_carriage_returns());
    EXPECT_THROW(watch.take(line.substr(9)), Error);
    EXPECT_FALSE(watch.has_agent());
  }
}

TEST(OutputWatch, LetsANodeAskForABuild) {
  OutputWatch watch;
  watch.take(
      "\x01"
      "adarun-agent wanted: agent\n");
  EXPECT_FALSE(watch.has_agent());
  EXPECT_FALSE(watch.has_carriage_returns());
}

TEST(OutputWatch, TakesOnlySoMuchBeforeAnAgentAnswers) {
  OutputWatch watch;
  const std::string piece(1000, 'y');
  std::size_t taken = 0;
  EXPECT_EQ(error_of([&] {
              for (; taken <= 2 * OutputWatch::most_bytes; taken += piece.size()) watch.take(piece);
            }),
            "it has printed more than 1 MiB, and no agent answers");
  EXPECT_GE(taken + piece.size(), OutputWatch::most_bytes);
}

TEST(OutputWatch, CountsNothingOnceAnAgentAnswers) {
  OutputWatch watch;
  watch.take(first_line);
  EXPECT_NO_THROW(watch.take(std::string(2 * OutputWatch::most_bytes, 'y') + altered(first_line)));
}

}  // namespace
}  // namespace adarun::launcher
