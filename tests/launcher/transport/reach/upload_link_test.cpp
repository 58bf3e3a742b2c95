// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/upload_link.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <deque>

#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"
#include "tests/launcher/transport/fake_link.h"

namespace adarun::launcher {
namespace {

class BringingLinkTest : public testing::Test {
 protected:
  // Everything that is delivered until the node has sent all.
  std::string delivered() {
    std::string text;
    for (int turn = 0; turn < 100; ++turn) {
      std::array<char, 256> buffer{};
      text.append(buffer.data(), link_.read(buffer));
    }
    return text;
  }

  const std::string magic_{protocol::magic};
  std::deque<std::string> says_;  // The bytes that the node sends, piece by piece.
  std::string given_;             // Those that it received.
  std::size_t takes_at_once_ = 1'000;
  bool ends_ = true;  // Once it has sent all.
  std::unique_ptr<FakeLink> node_ =
      std::make_unique<FakeLink>(Script{.more =
                                            [this] {
                                              if (says_.empty()) return std::string();
                                              std::string piece = says_.front();
                                              says_.pop_front();
                                              return piece;
                                            },
                                        .takes =
                                            [this](std::string_view bytes) {
                                              const std::size_t size =
                                                  std::min(bytes.size(), std::exchange(takes_at_once_, 0));
                                              given_ += bytes.substr(0, size);
                                              return size;
                                            },
                                        .has_ended = [this] { return ends_ && says_.empty(); },
                                        .step = "login shell of ada"});
  std::string& status_ = node_->script.status_text;
  UploadLink link_{std::move(node_),
                   std::make_shared<AgentSource>(
                       AgentSource{"/opt/agent",
                                   AgentSource::PathChoice::by_default,
                                   {{"agent", "dynamic", "", ""}, {"agent-static", "static", "", ""}}})};
};

TEST_F(BringingLinkTest, DeliversWhatAnInstalledAgentSaysAndGivesNothing) {
  says_ = {"Welcome\n", magic_ + "frames"};
  EXPECT_EQ(delivered(), "Welcome\n" + magic_ + "frames");
  EXPECT_EQ(given_, "");
}

TEST_F(BringingLinkTest, GivesEachBuildThatIsAskedForAndDeliversNothingOfThat) {
  says_ = {
      "Welcome\n\x01"
      "adarun-ag",
      "ent wanted: agent", "\n"};
  EXPECT_EQ(delivered(), "Welcome\n");
  EXPECT_EQ(given_, "dynamic");
  takes_at_once_ = 1'000;
  says_ = {std::string(wanted_mark) + "agent-static\n", magic_};
  EXPECT_EQ(delivered(), magic_);
  EXPECT_EQ(given_, "dynamicstatic");
}

TEST_F(BringingLinkTest, LearnsWhenTheLoginShellHasBegunTheCommand) {
  ends_ = false;
  const std::string mark = begun_mark;
  EXPECT_EQ(link_.step(), "login shell of ada");
  says_ = {"Welcome\n"};
  EXPECT_EQ(delivered(), "Welcome\n");
  EXPECT_EQ(link_.step(), "login shell of ada");
  says_ = {mark.substr(0, 5), mark.substr(5)};
  EXPECT_EQ(delivered(), "");
  EXPECT_EQ(link_.step(), "start the agent");
  says_ = {magic_ + mark};
  EXPECT_EQ(delivered(), magic_ + mark) << "an agent may print what looks like the mark";
}

TEST_F(BringingLinkTest, NeedsNoMarkOfACommandThatAnAgentAnswers) {
  says_ = {magic_};
  EXPECT_EQ(delivered(), magic_);
  EXPECT_EQ(link_.step(), "start the agent");
}

TEST_F(BringingLinkTest, WaitsForRoomToGiveOn) {
  says_ = {std::string(wanted_mark) + "agent\n"};
  takes_at_once_ = 3;
  EXPECT_EQ(delivered(), "");
  EXPECT_EQ(given_, "dyn");
  EXPECT_NE(link_.wanted() & POLLOUT, 0);
  takes_at_once_ = 1'000;
  EXPECT_EQ(delivered(), "");
  EXPECT_EQ(given_, "dynamic");
  EXPECT_EQ(link_.wanted() & POLLOUT, 0);
}

TEST_F(BringingLinkTest, SaysHowFarAnUploadIsUntilTheAgentAnswers) {
  const std::string help =
      " so far (a longer --connect-timeout gives it more time, a smaller --fanout more of the network)";
  ends_ = false;
  status_ = "careful\n";
  EXPECT_EQ(link_.status_text(), "careful\n");
  says_ = {std::string(wanted_mark) + "agent\n"};
  takes_at_once_ = 3;
  delivered();
  EXPECT_EQ(link_.status_text(), "careful; the agent is being uploaded, 3 bytes of 7 bytes" + help);
  status_ = "";
  takes_at_once_ = 1'000;
  delivered();
  EXPECT_EQ(link_.status_text(), "the agent is being uploaded, 7 bytes of 7 bytes" + help);
  says_ = {magic_};
  delivered();
  EXPECT_EQ(link_.status_text(), "");
}

TEST_F(BringingLinkTest, SaysWhyItEndedAndNotHowFarAnUploadWas) {
  status_ = "exit status 3: no room";
  says_ = {std::string(wanted_mark) + "agent\n"};
  delivered();
  EXPECT_EQ(link_.status_text(), "exit status 3: no room");
}

TEST_F(BringingLinkTest, DeliversAllThatANodeWithoutAgentSaid) {
  says_ = {"sh: no such thing \x01", "and more"};
  EXPECT_EQ(delivered(),
            "sh: no such thing \x01"
            "and more");
  EXPECT_TRUE(link_.ended());
}

TEST_F(BringingLinkTest, AgentsMayPrintWhatLooksLikeARequest) {
  const std::string printed = std::string(wanted_mark) + "agent\n";
  says_ = {magic_, printed};
  EXPECT_EQ(delivered(), magic_ + printed);
  EXPECT_EQ(given_, "");
}

TEST_F(BringingLinkTest, RefusesARequestForWhatIsNotHere) {
  says_ = {std::string(wanted_mark) + "kitten\n"};
  EXPECT_THROW(delivered(), Error);
}

TEST(CallOfAgent, IsOneLineThatNoShellTakesApart) {
  const std::string call = agent_call(
      {"/opt/it's here/agent", AgentSource::PathChoice::by_user, {{"agent", "x", "hash", "x86_64"}}});
  EXPECT_EQ(call.find('\n'), std::string::npos);
  for (std::size_t at = call.find('!'); at != std::string::npos; at = call.find('!', at + 1))
    EXPECT_EQ(call[at + 1], ' ') << call.substr(at);
  EXPECT_NE(call.find(R"('/opt/it'\''s here/agent')"), std::string::npos);
}

}  // namespace
}  // namespace adarun::launcher
