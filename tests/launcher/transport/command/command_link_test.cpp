// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/command_link.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "launcher/protocol/frame.h"
#include "tests/launcher/await.h"
#include "tests/launcher/error_of.h"

namespace adarun::launcher {
namespace {

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
  const std::string first_line(protocol::magic.substr(1, protocol::magic.size() - 2));
  CommandLink link = link_to("printf '\\001" + first_line + "\\n'");
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
  const std::string first_line(protocol::magic.substr(1, protocol::magic.size() - 2));
  int status = 0;
  pid_t pid = -1;
  {
    CommandLink link = link_to("echo $$; printf '\\001" + first_line + "\\n'; exec sleep 1000");
    link.open();
    pid = std::stoi(read_until(link, std::string(protocol::magic)));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < end) ASSERT_FALSE(link.close());
  }
  ASSERT_TRUE(await([&] { return waitpid(pid, &status, WNOHANG) == pid; }));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace adarun::launcher
