// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/reconnector.h"

#include <gtest/gtest.h>

#include "launcher/base/error.h"
#include "tests/launcher/transport/fake_link.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using State = Reconnector::State;

class ReconnectorTest : public testing::Test {
 protected:
  // Looks for a link from now on; each attempt gets one with this far side, whose closing is counted.
  Reconnector with_links(Script script) {
    script.may_close = [this] { return ++closed_ > 0; };
    const Relink relink = [this, script](const std::vector<std::string>&) {
      ++tries_;
      return std::make_unique<FakeLink>(script);
    };
    return with(relink);
  }
  Reconnector with(const Relink& relink) { return {0, relink, events_, closing_}; }

  const Reconnector::Clock::time_point start_{};
  EventQueue events_;
  ClosingLinks closing_;
  int tries_ = 0;
  int closed_ = 0;
};

TEST_F(ReconnectorTest, TriesAgainAfterAPause) {
  Reconnector reconnector = with([this](const std::vector<std::string>&) -> std::unique_ptr<Link> {
    ++tries_;
    throw Error("no route");
  });
  reconnector.begin("cable cut", start_);
  EXPECT_EQ(reconnector.advance(start_), State::trying);
  EXPECT_EQ(reconnector.reason(), "no route");
  EXPECT_FALSE(reconnector.has_link());
  EXPECT_EQ(reconnector.advance(start_ + 24ms), State::trying);  // Less than half of the first delay.
  EXPECT_EQ(tries_, 1);
  EXPECT_EQ(reconnector.advance(start_ + 50ms), State::trying);
  EXPECT_EQ(tries_, 2);
}

TEST_F(ReconnectorTest, ClosesALinkThatDoesNotAnswerInTime) {
  Reconnector reconnector = with_links({.opens = false});
  reconnector.begin("cable cut", start_);
  reconnector.advance(start_);
  EXPECT_TRUE(reconnector.has_link());
  EXPECT_EQ(reconnector.advance(start_ + 3s), State::trying);
  EXPECT_EQ(reconnector.reason(), "no answer in time");
  EXPECT_FALSE(reconnector.has_link());
  closing_.advance();
  EXPECT_EQ(closed_, 1);
}

// Only once a new link is open may the agent have switched to it.
TEST_F(ReconnectorTest, EndsASearchIfTheAgentIsHeardBeforeALinkIsOpen) {
  for (const bool opens : {false, true}) {
    Reconnector reconnector = with_links({.opens = opens});
    reconnector.begin("silence", start_);
    reconnector.advance(start_);
    reconnector.confirm();
    EXPECT_EQ(reconnector.is_searching(), opens);
    EXPECT_EQ(reconnector.cut_reason(), "");
  }
}

TEST_F(ReconnectorTest, SearchesOnIfTheAgentMayHaveSwitchedToALinkThatWasTooSlow) {
  Reconnector reconnector = with_links({.opens = true});
  reconnector.begin("silence", start_);
  reconnector.advance(start_);
  reconnector.advance(start_ + 3s);
  EXPECT_EQ(reconnector.reason(), "no answer in time");
  reconnector.confirm();
  EXPECT_TRUE(reconnector.is_searching());
  reconnector.advance(start_ + 4s);
  EXPECT_EQ(tries_, 2);
}

TEST_F(ReconnectorTest, HasTheLinkOnWhichTheAgentSaysResumed) {
  const std::string resumed = protocol::encode(protocol::Resumed{7});
  Reconnector reconnector = with_links({"motd\n" + std::string(protocol::magic) + resumed + "rest"});
  reconnector.begin("cable cut", start_);
  EXPECT_EQ(reconnector.advance(start_), State::resumed);
  EXPECT_EQ(reconnector.position(), 7U);
  EXPECT_EQ(reconnector.take_rest(), "rest");
  EXPECT_NE(reconnector.take_link(), nullptr);
}

// Half of a pause is the shortest that may be drawn: 2 s, after as many doublings of 50 ms.
TEST_F(ReconnectorTest, PausesLongerAfterEachLinkThatIsFoundAndBreaksAtOnce) {
  Reconnector reconnector =
      with_links({std::string(protocol::magic) + protocol::encode(protocol::Resumed{0})});
  Reconnector::Clock::time_point now = start_ + 1h;
  reconnector.begin("cable cut", now);
  EXPECT_EQ(reconnector.advance(now), State::resumed) << "the first time without a pause";
  for (int i = 0; i < 8; ++i) {
    reconnector.take_link();
    reconnector.begin("cable cut", now);
    EXPECT_EQ(reconnector.advance(now), State::trying);
    now += Reconnector::longest_pause - 1ms;
    EXPECT_EQ(reconnector.advance(now), State::resumed);
  }
  reconnector.take_link();
  reconnector.begin("cable cut", now);
  EXPECT_EQ(reconnector.advance(now + 999ms), State::trying);
  EXPECT_EQ(tries_, 9);
  now += Reconnector::longest_pause;
  EXPECT_EQ(reconnector.advance(now), State::resumed);
  reconnector.take_link();
  now += Reconnector::longest_pause;
  reconnector.begin("cable cut", now);
  EXPECT_EQ(reconnector.advance(now), State::resumed) << "the link before has lasted";
}

TEST_F(ReconnectorTest, ClosesALinkThatSendsWithoutEndAndNeverAnswers) {
  Reconnector reconnector = with_links({std::string(8U << 20U, 'x')});
  reconnector.begin("cable cut", start_);
  EXPECT_EQ(reconnector.advance(start_), State::trying);
  EXPECT_EQ(reconnector.reason(), "its agent does not answer among all that is sent from there");
  EXPECT_FALSE(reconnector.has_link());
}

TEST_F(ReconnectorTest, IsRefusedByWhatIsNoAgentOfTheJob) {
  Reconnector reconnector =
      with_links({std::string(protocol::magic) + protocol::encode(protocol::Joined{0})});
  reconnector.begin("cable cut", start_);
  EXPECT_EQ(reconnector.advance(start_), State::refused);
  EXPECT_EQ(reconnector.reason(), "what answers there is no agent of this job");
}

}  // namespace
}  // namespace adarun::launcher
