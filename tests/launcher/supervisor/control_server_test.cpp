// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/control_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/unix_socket.h"
#include "launcher/job/job_signals.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

class ControlServerTest : public testing::Test {
 protected:
  std::string socket() const { return scratch_.path() / "socket"; }

  // Ends by itself: who asks waits for some seconds at most.
  std::future<std::string> ask(const std::string& request) const {
    return std::async(std::launch::async, [this, request] { return ask_control_server(socket(), request); });
  }

  static std::string answered(ControlServer& server, std::future<std::string> reply,
                              const std::function<std::string(const std::string&)>& answer = the) {
    while (reply.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      server.answer_questions(answer);
    return reply.get();
  }

  static std::string the(const std::string& request) { return "the " + request; }

  const test::ScratchFolder scratch_;
};

TEST_F(ControlServerTest, GivesTheStatusThatItIsToldWhenAsked) {
  ControlServer server(socket());
  EXPECT_EQ(answered(server, ask("status")), "the status");
}

TEST_F(ControlServerTest, AsksForNoStatusThatNobodyWants) {
  ControlServer server(socket());
  bool asked = false;
  server.answer_questions([&asked](const std::string&) {
    asked = true;
    return std::string();
  });
  EXPECT_FALSE(asked);
}

TEST_F(ControlServerTest, HasTheLastStatusAloneWhereNobodyAnswers) {
  ControlServer server(socket());
  answered(server, ask("status"), [](const std::string&) { return std::string("running"); });
  EXPECT_EQ(ask_control_server(socket(), "status"), "running");
  EXPECT_EQ(ask_control_server(socket(), "another"), "{}");
}

TEST_F(ControlServerTest, AnswersBesideClientsThatSayNothing) {
  ControlServer server(socket());
  std::vector<base::FileDescriptor> silent;
  for (int i = 0; i < 3; ++i) silent.push_back(base::connect_to(socket()));
  std::vector<std::future<std::string>> replies;
  for (int i = 0; i < 3; ++i) replies.push_back(ask("status"));
  for (std::future<std::string>& reply : replies) EXPECT_EQ(answered(server, std::move(reply)), "the status");
}

TEST_F(ControlServerTest, HasRoomForWhoAsksBehindManyThatSayNothing) {
  ControlServer server(socket());
  std::vector<base::FileDescriptor> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(base::connect_to(socket()));
  EXPECT_EQ(answered(server, ask("status")), "the status");
  char byte = 0;
  EXPECT_EQ(recv(silent.back().get(), &byte, 1, MSG_DONTWAIT), -1) << "its time is not over yet";
  EXPECT_EQ(recv(silent.front().get(), &byte, 1, MSG_DONTWAIT), 0) << "it has made room";
}

// More than once: the thread of the server is not to wait for the answer that is being made.
TEST_F(ControlServerTest, TakesOrdersWhileAnAnswerIsMade) {
  std::signal(stop_signal(), SIG_IGN);
  ControlServer server(socket());
  const auto answer = [this](const std::string&) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(ask_control_server(socket(), "stop"), "stopping");
    return std::string("done");
  };
  EXPECT_EQ(answered(server, ask("resize"), answer), "done");
  std::signal(stop_signal(), SIG_DFL);
}

TEST_F(ControlServerTest, GivesTheLastStatusToThoseWhoWaitAtItsEnd) {
  std::optional<ControlServer> server(socket());
  const base::FileDescriptor client = base::connect_to(socket());
  const base::FileDescriptor silent = base::connect_to(socket());
  ASSERT_EQ(send(client.get(), "status\n", 7, 0), 7);
  server.reset();
  std::array<char, 4> reply{};
  EXPECT_EQ(recv(client.get(), reply.data(), reply.size(), 0), 3);
  EXPECT_STREQ(reply.data(), "{}\n");
  EXPECT_EQ(recv(silent.get(), reply.data(), reply.size(), 0), 0);
}

TEST_F(ControlServerTest, TakesItsSocketAway) {
  { const ControlServer server(socket()); }
  EXPECT_FALSE(std::filesystem::exists(socket()));
  try {
    ask_control_server(socket(), "status");
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "its supervisor cannot be reached: No such file or directory");
  }
}

TEST_F(ControlServerTest, LetsAJobGoOnWhereItsSocketCannotBeMade) {
  ControlServer server(scratch_.path() / "none" / "socket");
  server.answer_questions([](const std::string&) { return std::string(); });
  EXPECT_THROW(ask_control_server(scratch_.path() / "none" / "socket", "status"), std::runtime_error);
}

}  // namespace
}  // namespace adarun::launcher
