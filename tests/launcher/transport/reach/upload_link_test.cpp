// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/upload_link.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <deque>

#include "launcher/base/error.h"
#include "launcher/protocol/frame.h"

namespace adarun::launcher {
namespace {

// The bytes that a node sends, piece by piece, and those that it received.
struct Node {
  std::deque<std::string> says;
  std::string given;
  std::size_t takes_at_once = 1'000;
  bool ends = true;  // Once it has sent all.
  std::string status;
};

class LinkToNode : public Link {
 public:
  explicit LinkToNode(Node& node) : node_(node) {}

  int fd() const override { return -1; }
  short wanted() const override { return POLLIN; }
  bool open() override { return true; }
  std::size_t read(std::span<char> buffer) override {
    if (node_.says.empty()) return 0;
    const std::string piece = node_.says.front();
    node_.says.pop_front();
    std::copy(piece.begin(), piece.end(), buffer.begin());
    return piece.size();
  }
  std::size_t write(std::string_view bytes) override {
    const std::size_t size = std::min(bytes.size(), std::exchange(node_.takes_at_once, 0));
    node_.given += bytes.substr(0, size);
    return size;
  }
  bool ended() const override { return node_.ends && node_.says.empty(); }
  std::string status_text() override { return node_.status; }

 private:
  Node& node_;
};

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
  Node node_;
  UploadLink link_{std::make_unique<LinkToNode>(node_),
                   std::make_shared<AgentSource>(
                       AgentSource{"/opt/agent",
                                   AgentSource::PathChoice::by_default,
                                   {{"agent", "dynamic", "", ""}, {"agent-static", "static", "", ""}}})};
};

TEST_F(BringingLinkTest, DeliversWhatAnInstalledAgentSaysAndGivesNothing) {
  node_.says = {"Welcome\n", magic_ + "frames"};
  EXPECT_EQ(delivered(), "Welcome\n" + magic_ + "frames");
  EXPECT_EQ(node_.given, "");
}

TEST_F(BringingLinkTest, GivesEachBuildThatIsAskedForAndDeliversNothingOfThat) {
  node_.says = {
      "Welcome\n\x01"
      "adarun-ag",
      "ent wanted: agent", "\n"};
  EXPECT_EQ(delivered(), "Welcome\n");
  EXPECT_EQ(node_.given, "dynamic");
  node_.takes_at_once = 1'000;
  node_.says = {std::string(wanted_mark) + "agent-static\n", magic_};
  EXPECT_EQ(delivered(), magic_);
  EXPECT_EQ(node_.given, "dynamicstatic");
}

TEST_F(BringingLinkTest, WaitsForRoomToGiveOn) {
  node_.says = {std::string(wanted_mark) + "agent\n"};
  node_.takes_at_once = 3;
  EXPECT_EQ(delivered(), "");
  EXPECT_EQ(node_.given, "dyn");
  EXPECT_NE(link_.wanted() & POLLOUT, 0);
  node_.takes_at_once = 1'000;
  EXPECT_EQ(delivered(), "");
  EXPECT_EQ(node_.given, "dynamic");
  EXPECT_EQ(link_.wanted() & POLLOUT, 0);
}

TEST_F(BringingLinkTest, SaysHowFarAnUploadIsUntilTheAgentAnswers) {
  const std::string help =
      " so far (a longer --connect-timeout gives it more time, a smaller --fanout more of the network)";
  node_.ends = false;
  node_.status = "careful\n";
  EXPECT_EQ(link_.status_text(), "careful\n");
  node_.says = {std::string(wanted_mark) + "agent\n"};
  node_.takes_at_once = 3;
  delivered();
  EXPECT_EQ(link_.status_text(), "careful; the agent is being uploaded, 3 bytes of 7 bytes" + help);
  node_.status = "";
  node_.takes_at_once = 1'000;
  delivered();
  EXPECT_EQ(link_.status_text(), "the agent is being uploaded, 7 bytes of 7 bytes" + help);
  node_.says = {magic_};
  delivered();
  EXPECT_EQ(link_.status_text(), "");
}

TEST_F(BringingLinkTest, SaysWhyItEndedAndNotHowFarAnUploadWas) {
  node_.status = "exit status 3: no room";
  node_.says = {std::string(wanted_mark) + "agent\n"};
  delivered();
  EXPECT_EQ(link_.status_text(), "exit status 3: no room");
}

TEST_F(BringingLinkTest, DeliversAllThatANodeWithoutAgentSaid) {
  node_.says = {"sh: no such thing \x01", "and more"};
  EXPECT_EQ(delivered(),
            "sh: no such thing \x01"
            "and more");
  EXPECT_TRUE(link_.ended());
}

TEST_F(BringingLinkTest, AgentsMayPrintWhatLooksLikeARequest) {
  const std::string printed = std::string(wanted_mark) + "agent\n";
  node_.says = {magic_, printed};
  EXPECT_EQ(delivered(), magic_ + printed);
  EXPECT_EQ(node_.given, "");
}

TEST_F(BringingLinkTest, RefusesARequestForWhatIsNotHere) {
  node_.says = {std::string(wanted_mark) + "kitten\n"};
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
