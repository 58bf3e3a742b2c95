// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/reconnector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;
using State = Reconnector::State;

// Opens or fails, sends some bytes, and counts how often it was closed.
class CountedLink : public Link {
 public:
  CountedLink(bool opens, std::string sends, int& closed)
      : opens_(opens), sends_(std::move(sends)), closed_(closed) {}

  int fd() const override { return -1; }
  short wanted() const override { return 0; }
  bool open() override { return opens_; }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t size = std::min(buffer.size(), sends_.size());
    std::copy_n(sends_.begin(), size, buffer.begin());
    sends_.erase(0, size);
    return size;
  }
  std::size_t write(std::string_view /*bytes*/) override { return 0; }
  bool ended() const override { return false; }
  std::string status_text() override { return ""; }
  bool close() override {
    ++closed_;
    return true;
  }

 private:
  bool opens_;
  std::string sends_;
  int& closed_;
};

class ReconnectorTest : public testing::Test {
 protected:
  // Each attempt gets a link that opens or fails, and sends these bytes.
  Reconnector with_links(bool opens, const std::string& sends) {
    return Reconnector(
        [this, opens, sends] {
          ++tries_;
          return std::make_unique<CountedLink>(opens, sends, closed_);
        },
        closing_, start_);
  }

  const Reconnector::Clock::time_point start_{};
  ClosingLinks closing_;
  int tries_ = 0;
  int closed_ = 0;
};

TEST_F(ReconnectorTest, TriesAgainAfterAPause) {
  Reconnector reconnector(
      [this]() -> std::unique_ptr<Link> {
        ++tries_;
        throw Error("no route");
      },
      closing_, start_);
  EXPECT_EQ(reconnector.advance(start_), State::trying);
  EXPECT_EQ(reconnector.reason(), "no route");
  EXPECT_TRUE(reconnector.pausing());
  EXPECT_EQ(reconnector.advance(start_ + 24ms), State::trying);  // Less than half of the first delay.
  EXPECT_EQ(tries_, 1);
  EXPECT_EQ(reconnector.advance(start_ + 50ms), State::trying);
  EXPECT_EQ(tries_, 2);
}

TEST_F(ReconnectorTest, ClosesALinkThatDoesNotAnswerInTime) {
  Reconnector reconnector = with_links(false, "");
  reconnector.advance(start_);
  EXPECT_FALSE(reconnector.pausing());
  EXPECT_FALSE(reconnector.committed());
  EXPECT_EQ(reconnector.advance(start_ + 3s), State::trying);
  EXPECT_EQ(reconnector.reason(), "no answer in time");
  EXPECT_TRUE(reconnector.pausing());
  closing_.advance();
  EXPECT_EQ(closed_, 1);
}

TEST_F(ReconnectorTest, HasTheLinkOnWhichTheAgentSaysResumed) {
  const std::string resumed = protocol::encode(protocol::Resumed{7});
  Reconnector reconnector = with_links(true, "motd\n" + std::string(protocol::magic) + resumed + "rest");
  EXPECT_EQ(reconnector.advance(start_), State::resumed);
  EXPECT_TRUE(reconnector.committed());
  EXPECT_EQ(reconnector.position(), 7U);
  EXPECT_EQ(reconnector.take_rest(), "rest");
  EXPECT_NE(reconnector.take_link(), nullptr);
}

// Half of a pause is the shortest that may be drawn: 2 s, after as many doublings of 50 ms.
TEST_F(ReconnectorTest, PausesLongerAfterEachLinkThatIsFoundAndBreaksAtOnce) {
  const std::string resumed = std::string(protocol::magic) + protocol::encode(protocol::Resumed{0});
  const Relink relink = [this, resumed](const std::vector<std::string>&) {
    ++tries_;
    return std::make_unique<CountedLink>(true, resumed, closed_);
  };
  EventQueue events;
  Resumption resumption(0, relink, events, closing_);
  Reconnector::Clock::time_point now = start_ + 1h;
  resumption.begin("cable cut", now);
  EXPECT_EQ(resumption.advance(now), State::resumed) << "the first time without a pause";
  for (int i = 0; i < 8; ++i) {
    resumption.take_reconnector();
    resumption.begin("cable cut", now);
    EXPECT_EQ(resumption.advance(now), State::trying);
    now += Reconnector::longest_pause - 1ms;
    EXPECT_EQ(resumption.advance(now), State::resumed);
  }
  resumption.take_reconnector();
  resumption.begin("cable cut", now);
  EXPECT_EQ(resumption.advance(now + 999ms), State::trying);
  EXPECT_EQ(tries_, 9);
  now += Reconnector::longest_pause;
  EXPECT_EQ(resumption.advance(now), State::resumed);
  resumption.take_reconnector();
  now += Reconnector::longest_pause;
  resumption.begin("cable cut", now);
  EXPECT_EQ(resumption.advance(now), State::resumed) << "the link before has lasted";
}

TEST_F(ReconnectorTest, ClosesALinkThatSendsWithoutEndAndNeverAnswers) {
  Reconnector reconnector = with_links(true, std::string(8U << 20U, 'x'));
  EXPECT_EQ(reconnector.advance(start_), State::trying);
  EXPECT_EQ(reconnector.reason(), "its agent does not answer among all that is sent from there");
  EXPECT_TRUE(reconnector.pausing());
}

TEST_F(ReconnectorTest, IsRefusedByWhatIsNoAgentOfTheJob) {
  Reconnector reconnector =
      with_links(true, std::string(protocol::magic) + protocol::encode(protocol::Joined{0}));
  EXPECT_EQ(reconnector.advance(start_), State::refused);
  EXPECT_EQ(reconnector.reason(), "what answers there is no agent of this job");
}

}  // namespace
}  // namespace adarun::launcher
