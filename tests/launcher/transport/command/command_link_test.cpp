// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "launcher/protocol/frame.h"
#include "tests/launcher/await.h"
#include "tests/launcher/error_of.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

const std::string first_line(protocol::magic);
const std::string print_magic = "printf '\\001" + first_line.substr(1, first_line.size() - 2) + "\\n'";

// A command that runs a script of sh; $1 is the host.
class CommandLinkTest : public testing::Test {
 protected:
  CommandLink link_to(const std::string& script) {
    return CommandLink({"exec", {"sh", "-c", script, "on", "{host}"}}, {"node1"}, {"program"}, files_);
  }

  static std::string read_until(CommandLink& link, const std::string& end) {
    std::string text;
    EXPECT_TRUE(await([&] {
      std::array<char, 4096> buffer{};
      text.append(buffer.data(), link.read(buffer));
      return text.ends_with(end);
    }));
    return text;
  }

  static void read_to_end(CommandLink& link) {
    EXPECT_TRUE(await([&link] {
      std::array<char, 4096> buffer{};
      return link.read(buffer) == 0 && link.ended();
    }));
  }

  base::FileLimit files_;
};

TEST_F(CommandLinkTest, PassesBytesBothWaysAndStartsWhenItOpens) {
  CommandLink link = link_to("echo $1 $2; exec cat");
  EXPECT_EQ(link.fd(), -1);
  ASSERT_TRUE(link.open());
  EXPECT_GE(link.fd(), 0);
  read_until(link, "node1 program\n");
  EXPECT_EQ(link.write("x\n"), 2U);
  EXPECT_EQ(read_until(link, "\n"), "x\n");
  ASSERT_TRUE(await([&link] { return link.close(); }));
}

TEST_F(CommandLinkTest, SaysHowACommandThatIsNotThereFails) {
  CommandLink link({"exec", {"no-such-program-of-adarun", "{host}"}}, {"node1"}, {"program"}, files_);
  EXPECT_EQ(error_of([&] { link.open(); }),
            "no-such-program-of-adarun: cannot start it: No such file or directory");
  EXPECT_TRUE(link.close());
}

TEST_F(CommandLinkTest, NamesTheCommandAndWhatItSaid) {
  CommandLink link({"exec", {"sh", "-c", "echo no route >&2; exit 4", "{host}"}}, {"node1"}, {}, files_);
  link.open();
  read_to_end(link);
  ASSERT_TRUE(await([&link] { return link.status_text().ends_with("no route"); }));
  EXPECT_EQ(link.status_text(), "sh -c 'echo no route >&2; exit 4' node1: no route");
}

TEST_F(CommandLinkTest, WaitsForTheExitStatusOfACommandThatHasClosedItsStdout) {
  CommandLink link(
      {"exec", {"sh", "-c", "exec >&- <&-; for i in 1 2 3 4 5 6 7 8; do :; done; exit 7", "{host}"}},
      {"node1"}, {}, files_);
  link.open();
  read_to_end(link);
  EXPECT_TRUE(link.status_text().ends_with(" node1: exit status 7")) << link.status_text();
}

TEST_F(CommandLinkTest, HintsAtATerminal) {
  CommandLink link = link_to("printf 'password:\\r\\n'");
  link.open();
  read_to_end(link);
  EXPECT_TRUE(link.status_text().ends_with("(lines end in CR LF: is a terminal in between, as by -t?)"));
}

TEST_F(CommandLinkTest, AsksWhetherStdinArrivesIfTheAgentEndsAtOnce) {
  CommandLink link = link_to(print_magic);
  link.open();
  read_to_end(link);
  EXPECT_TRUE(link.status_text().ends_with(" (does it pass stdin on, as docker's -i does?)"))
      << link.status_text();
}

TEST_F(CommandLinkTest, EndsACommandThatBringsNoAgentAndNeverEnds) {
  CommandLink link = link_to("trap '' TERM; echo $$; while :; do sleep 1000; done");
  link.open();
  const pid_t pid = std::stoi(read_until(link, "\n"));
  ASSERT_TRUE(await([&link] { return link.close(); }));
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(CommandLinkTest, LetsAnAgentThatItHasBroughtLiveOnUntilItIsDestroyed) {
  int status = 0;
  pid_t pid = -1;
  {
    CommandLink link = link_to("echo $$; " + print_magic + "; exec sleep 1000");
    link.open();
    pid = std::stoi(read_until(link, std::string(protocol::magic)));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < end) ASSERT_FALSE(link.close());
  }
  ASSERT_TRUE(await([&] { return waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

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
