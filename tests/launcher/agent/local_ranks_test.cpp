// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/local_ranks.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>

#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/ranks/exec_error.h"
#include "launcher/protocol/archive.h"
#include "tests/launcher/agent/channel_ends.h"

namespace adarun::launcher::agent {
namespace {

/// Rank 3 of a node, without a process: the test writes its output.
class ARankOfANode : public testing::Test {
 protected:
  explicit ARankOfANode(pid_t pid = 4242) : pid_(pid) {
    for (Pipe* pipe : {&out_, &err_, &report_}) set_nonblocking(pipe->read.get());
    Child child{pid, {}, std::move(out_.read), std::move(err_.read), std::move(report_.read)};
    ranks_.add(RankProcess({3, Program{{"program"}, {"A=1"}, "", ""}, "", 0, false}, std::move(child),
                           MemoryWatch("")));
  }

  static void write(const Pipe& pipe, const std::string& bytes) {
    ASSERT_EQ(::write(pipe.write.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  void report(const ExecError& exec_error) {
    write(report_,
          {reinterpret_cast<const char*>(&exec_error), sizeof exec_error});  // NOLINT: as a child does
  }

  /// One turn of the agent's loop, as far as ranks are concerned.
  void turn() {
    Poll poll;
    ranks_.watch(poll, now_);
    poll.until(now_);
    poll.wait();
    ranks_.settle(mpi_, now_);
  }

  /// Its program was executed, and has ended with this status, as waitpid gives it.
  void run_and_end(int status = 0, bool stopped_by_us = false) {
    report({SpawnStep::ready});
    end(status, stopped_by_us);
  }

  /// Its process has ended.
  void end(int status, bool stopped_by_us) {
    report_.write.reset();
    turn();
    out_.write.reset();
    err_.write.reset();
    ranks_.reaped(pid_, status, stopped_by_us, now_);
  }

  /// What two more turns send.
  std::vector<protocol::Message> messages_of_turns() {
    turn();
    turn();
    return ends_.received();
  }

  /// Queues so much that ranks are no longer read.
  void fill_channel() {
    ends_.channel().send(protocol::Output{0, protocol::Stream::out, std::string(Channel::full_bytes, 'x')});
  }

  template <typename T>
  static std::vector<T> only(const std::vector<protocol::Message>& messages) {
    std::vector<T> result;
    for (const protocol::Message& message : messages)
      if (const T* found = std::get_if<T>(&message)) result.push_back(*found);
    return result;
  }

  const pid_t pid_;
  ChannelEnds ends_;
  DiagnosticSender diagnostics_{ends_.channel()};
  MpiServers mpi_;
  std::vector<std::string> failures_;
  LocalRanks ranks_{ends_.channel(), diagnostics_,
                    [this](protocol::StartFailure, const std::string& message) {
                      failures_.push_back(message);
                      if (on_failure_) on_failure_();
                    }};
  std::function<void()> on_failure_;
  const Clock::time_point now_ = Clock::now();
  Pipe out_ = make_pipe();
  Pipe err_ = make_pipe();
  Pipe report_ = make_pipe();
};

TEST_F(ARankOfANode, IsToldToTheLauncherFromItsStartToItsEnd) {
  write(out_, "hello\n");
  turn();
  EXPECT_TRUE(ends_.received().empty()) << "its program may still fail to be executed";
  run_and_end();
  EXPECT_EQ(ranks_.groups(), std::vector<pid_t>());
  EXPECT_FALSE(ranks_.over());
  const std::vector<protocol::Message> messages = messages_of_turns();
  ASSERT_EQ(messages.size(), 3U);
  ASSERT_TRUE(std::holds_alternative<protocol::Started>(messages[0]));
  EXPECT_EQ(std::get<protocol::Started>(messages[0]).rank, 3U);
  EXPECT_EQ(messages[1], protocol::Message(protocol::Output{3, protocol::Stream::out, "hello\n"}));
  ASSERT_TRUE(std::holds_alternative<protocol::Exited>(messages[2]));
  EXPECT_EQ(std::get<protocol::Exited>(messages[2]).rank, 3U);
  EXPECT_TRUE(ranks_.over());
  EXPECT_TRUE(failures_.empty());
}

TEST_F(ARankOfANode, IsAFailureAndNothingElseWhenItsProgramCannotBeExecuted) {
  report({SpawnStep::ready});
  turn();
  EXPECT_TRUE(ends_.received().empty());
  report({SpawnStep::execute, ENOENT, 0});
  turn();
  ASSERT_EQ(failures_.size(), 1U);
  EXPECT_NE(failures_[0].find("rank 3: \"program\""), std::string::npos) << failures_[0];
  ranks_.reaped(pid_, 127 << 8, false, now_);
  turn();
  EXPECT_TRUE(ranks_.over());
  const std::vector<protocol::Message> said = ends_.received();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(std::get<protocol::Diagnostic>(said[0]).text.find("PATH of rank 3: "), std::string::npos);
}

TEST_F(ARankOfANode, WasNeverStartedIfItIsEndedBeforeItsProgramIsExecuted) {
  report_.write.reset();
  turn();
  ranks_.reaped(pid_, SIGTERM, true, now_);
  turn();
  EXPECT_TRUE(ranks_.over());
  EXPECT_TRUE(ends_.received().empty());
}

TEST_F(ARankOfANode, WasNeverStartedIfItIsEndedWhileItsProgramIsSoughtFor) {
  report({SpawnStep::ready});
  ranks_.note_those_ending();
  ranks_.reaped(pid_, SIGTERM, true, now_);
  for (Pipe* pipe : {&report_, &out_, &err_}) pipe->write.reset();
  EXPECT_TRUE(messages_of_turns().empty());
}

TEST_F(ARankOfANode, HasRunIfItHasPrintedThoughItIsSeenOnlyAfterItsEnd) {
  report({SpawnStep::ready});
  ranks_.note_those_ending();
  write(out_, "hello\n");
  ranks_.reaped(pid_, SIGTERM, true, now_);
  for (Pipe* pipe : {&report_, &out_, &err_}) pipe->write.reset();
  turn();
  const std::vector<protocol::Message> messages = messages_of_turns();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<protocol::Started>(messages[0]));
  EXPECT_EQ(messages[1], protocol::Message(protocol::Output{3, protocol::Stream::out, "hello\n"}));
}

TEST_F(ARankOfANode, HasRunIfItHasEndedByItself) {
  report({SpawnStep::ready});
  ranks_.note_those_ending();
  ranks_.reaped(pid_, 3 << 8, true, now_);
  for (Pipe* pipe : {&report_, &out_, &err_}) pipe->write.reset();
  EXPECT_EQ(messages_of_turns().size(), 2U);
}

TEST_F(ARankOfANode, IsAFailureAlsoWhereThatIsReadOnlyAsItIsEnded) {
  Poll poll;
  ranks_.watch(poll, now_);
  report({SpawnStep::ready});
  report({SpawnStep::execute, ENOENT});
  report_.write.reset();
  ranks_.note_those_ending();
  poll.until(now_);
  poll.wait();
  ranks_.reaped(pid_, 127 << 8, false, now_);
  for (Pipe* pipe : {&out_, &err_}) pipe->write.reset();
  for (const protocol::Message& each : messages_of_turns())
    EXPECT_FALSE(std::holds_alternative<protocol::Exited>(each));
  EXPECT_EQ(failures_.size(), 1U);
}

TEST_F(ARankOfANode, HasStartedIfItsProgramIsExecutedBeforeItIsEnded) {
  report({SpawnStep::ready});
  report_.write.reset();
  ranks_.note_those_ending();
  for (Pipe* pipe : {&out_, &err_}) pipe->write.reset();
  ranks_.reaped(pid_, SIGTERM, true, now_);
  EXPECT_EQ(messages_of_turns().size(), 2U);
}

TEST_F(ARankOfANode, HasEndedIfAnotherKillsItBeforeItsProgramIsExecuted) {
  end(SIGKILL, false);
  const std::vector<protocol::Message> messages = messages_of_turns();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::Exited>(messages[0]).signal, SIGKILL);
}

/// An MPI server that rank 3 has just joined.
class JoinedServer : public MpiServer {
 public:
  RankStart admit(std::uint32_t /*rank*/, std::uint32_t /*restarts*/) override { return {}; }
  void watch(Poll& /*poll*/) override {}
  std::vector<protocol::Message> collect() override { return {protocol::Joined{3}}; }
  bool has_connected(std::uint32_t /*rank*/) const override { return true; }
  bool has_finalized(std::uint32_t /*rank*/) const override { return false; }
  void take(const protocol::Message& /*message*/) override {}
};

TEST_F(ARankOfANode, HasStartedBeforeItJoinsMpiThoughBothAreSeenAtOnce) {
  mpi_.add(std::make_unique<JoinedServer>());
  report({SpawnStep::ready});
  report_.write.reset();
  ranks_.settle(mpi_, now_);
  const std::vector<protocol::Message> messages = ends_.received();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<protocol::Started>(messages[0]));
  EXPECT_EQ(messages[1], protocol::Message(protocol::Joined{3}));
}

/// A rank with a process that was killed, and is not reaped before the test ends.
class AKilledRank : public ARankOfANode {
 protected:
  AKilledRank() : ARankOfANode(killed_process()) {}
  ~AKilledRank() override { ::waitpid(pid_, nullptr, 0); }

  static pid_t killed_process() {
    const pid_t pid = ::fork();
    while (pid == 0) ::pause();
    ::kill(pid, SIGKILL);
    return pid;
  }

  bool is_stopped_by_us() {
    run_and_end(SIGKILL, true);
    return only<protocol::Exited>(messages_of_turns()).at(0).stopped_by_us;
  }
};

TEST_F(AKilledRank, IsStoppedByUsIfThatWasNotNotedBefore) {
  EXPECT_TRUE(is_stopped_by_us());
}

TEST_F(AKilledRank, IsNotStoppedByUsIfItIsNotedToBeEnding) {
  ranks_.note_those_ending();
  EXPECT_FALSE(is_stopped_by_us());
}

// As the agent does, which ends all ranks then.
TEST_F(ARankOfANode, WhoseFailureEndsAnotherHasThatNotedFirst) {
  const pid_t other = ::fork();
  while (other == 0) ::pause();
  Pipe started = make_pipe();
  const ExecError ready{SpawnStep::ready};
  write(started, {reinterpret_cast<const char*>(&ready), sizeof ready});  // NOLINT: as a child does
  started.write.reset();
  ranks_.add(RankProcess({4, Program{{"program"}, {}, "", ""}, "", 0, false},
                         Child{other, {}, {}, {}, std::move(started.read)}, MemoryWatch("")));
  int status = 0;
  on_failure_ = [&] {
    ranks_.note_those_ending();
    ::kill(other, SIGKILL);
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(other), &ended, WEXITED | WNOWAIT);
  };
  report({SpawnStep::ready});
  report({SpawnStep::execute, ENOENT});
  report_.write.reset();
  ranks_.note_those_ending();
  ::waitpid(other, &status, 0);
  ranks_.reaped(other, status, true, now_);
  const auto ends = only<protocol::Exited>(messages_of_turns());
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_TRUE(ends[0].stopped_by_us);
  EXPECT_EQ(failures_.size(), 1U);
}

TEST_F(ARankOfANode, IsNotReadWhileTheChannelIsFull) {
  fill_channel();
  write(out_, "late\n");
  run_and_end();
  EXPECT_EQ(only<protocol::Output>(messages_of_turns()).size(), 1U) << "what had filled it";
  EXPECT_FALSE(ranks_.over());
  EXPECT_EQ(only<protocol::Output>(messages_of_turns()),
            (std::vector<protocol::Output>{{3, protocol::Stream::out, "late\n"}}));
  EXPECT_TRUE(ranks_.over());
}

TEST_F(ARankOfANode, IsReadForNobodyWhereTheFullChannelIsAbandoned) {
  fill_channel();
  ends_.channel().abandon();
  write(out_, "lost\n");
  run_and_end();
  const std::vector<protocol::Message> messages = messages_of_turns();
  EXPECT_TRUE(ranks_.over());
  EXPECT_EQ(only<protocol::Output>(messages).size(), 1U) << "what had filled it";
  EXPECT_EQ(only<protocol::Exited>(messages).size(), 1U);
}

TEST_F(ARankOfANode, LeadsAGroupUntilItIsReaped) {
  EXPECT_EQ(ranks_.groups(), std::vector<pid_t>{pid_});
  ranks_.reaped(pid_ + 1, 0, false, now_);
  EXPECT_EQ(ranks_.groups(), std::vector<pid_t>{pid_});
  ranks_.reaped(pid_, 0, false, now_);
  EXPECT_EQ(ranks_.groups(), std::vector<pid_t>());
}

TEST_F(ARankOfANode, IsSentNoSignalThatThereIsNot) {
  for (const int number : {-1, 0, 65, 1000}) EXPECT_THROW(ranks_.signal(number), protocol::Error) << number;
}

}  // namespace
}  // namespace adarun::launcher::agent
