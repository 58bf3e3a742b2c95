// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/unix_socket.h"
#include "tests/as_another_user.h"
#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

namespace fs = std::filesystem;

/// The process that passes a further connection to an agent; the other end of the connection is not used.
class Bringer {
 public:
  explicit Bringer(const std::vector<std::string>& command) {
    EXPECT_EQ(::pipe2(to_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(from_.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::dup2(to_[0], STDIN_FILENO);
    ::dup2(from_[1], STDOUT_FILENO);
    ::execl(command[0].c_str(), command[0].c_str(), command[1].c_str(), command[2].c_str(), nullptr);
    ::_exit(127);
  }
  ~Bringer() {
    for (const int end : {to_[0], to_[1], from_[0], from_[1]}) ::close(end);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Bringer(const Bringer&) = delete;
  Bringer& operator=(const Bringer&) = delete;

 private:
  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  pid_t pid_ = -1;
};

/// A job that can be reconnected to.
class Resume : public AgentTest {
 protected:
  /// Starts it, and returns how its agent is met when it runs.
  protocol::Rendezvous begin(AgentProcess& agent) {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    start_ = folder_.shell("echo ready; exec sleep 1000");
    start_.scratch += "-0123456789abcdef";
    start_.resumable = true;
    agent.send(start_);
    EXPECT_TRUE(agent.await_output(0, "ready\n"));
    const auto* rendezvous = agent.await<protocol::Rendezvous>();
    EXPECT_NE(rendezvous, nullptr);
    return rendezvous == nullptr ? protocol::Rendezvous{{"", "", ""}} : *rendezvous;
  }

  /// Without the timeout of an agent whose launcher may reconnect.
  static void end(AgentProcess& agent) {
    ::kill(static_cast<pid_t>(agent.await<protocol::Hello>()->pid), SIGKILL);
    EXPECT_EQ(agent.wait(), 128 + SIGKILL);
  }

  protocol::Start start_;
};

TEST_F(Resume, NeedsNoFolderBesideTheScratchFolder) {
  fs::create_directory(folder_.path() / "scratch-0123456789abcdef.resume");  // As of another user.
  const protocol::Rendezvous rendezvous = begin(agent_);
  EXPECT_EQ(rendezvous.command.at(2), start_.scratch + "/socket");
  agent_.send(protocol::Stop{true});
  ASSERT_NE(agent_.await<protocol::Done>(), nullptr);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(start_.scratch)) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"socket"}) << "what has not been received yet can be sent again";
  end(agent_);
}

TEST_F(Resume, EndsTheFirstConnection) {
  const Bringer bringer(begin(agent_).command);
  while (agent_.next()) {
  }
  pollfd ended{agent_.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 0), 1);
  EXPECT_NE(ended.revents & POLLHUP, 0) << "the watchdog holds it";
  end(agent_);
}

TEST_F(Resume, RunsTheProgramThatHasTakenTheAgentsPlace) {
  const fs::path program = folder_.path() / "adarun-agent";
  ASSERT_NE(agent_.await<protocol::Hello>(), nullptr);
  fs::copy_file(fs::read_symlink("/proc/" + std::to_string(agent_.pid()) + "/exe"), program);
  AgentProcess agent(program);
  ASSERT_NE(agent.await<protocol::Hello>(), nullptr);
  fs::copy_file(program, folder_.path() / "again");
  fs::rename(folder_.path() / "again", program);
  EXPECT_EQ(begin(agent).command.at(0), program);
  end(agent);
}

TEST_F(Resume, ByAnUndeliveredRequestIsRefusedWhileTheAgentOfTheJobCanBeMet) {
  AgentProcess other;
  begin(other);
  agent_.send(protocol::UndeliveredRequest{start_.job_id, 0, folder_.path() / "scratch"});
  expect_failure("its agent still runs");
  end(other);
}

TEST(UndeliveredRequest, IsNotKeptBackByFoldersInWhichNoAgentOfOursCanBeMet) {
  JobFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  for (const char* name : {"scratch", "scratch-0", "scratch-1/socket", "scratch-2"})
    fs::create_directories(folder.path() / name);
  base::FileDescriptor listening;  // In place of another user's socket.
  if (::geteuid() == 0) {
    for (const fs::path& open : {folder.path(), folder.path() / "scratch-2"})
      fs::permissions(open, fs::perms::all);
    ASSERT_EQ(::seteuid(test::another_uid), 0);
    listening = base::listen_at(folder.path() / "scratch-2/socket");
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_TRUE(listening);
  }
  AgentProcess agent;
  agent.send(protocol::UndeliveredRequest{"job", 0, folder.path() / "scratch"});
  const auto* recalled = agent.await<protocol::UndeliveredReply>();
  ASSERT_NE(recalled, nullptr);
  EXPECT_FALSE(recalled->found);
  agent.send(protocol::Stop{true});
  EXPECT_EQ(agent.wait(), 0);
}

}  // namespace
}  // namespace adarun::launcher::agent
