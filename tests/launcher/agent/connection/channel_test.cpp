// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/channel.h"

#include <signal.h>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/launcher/agent/channel_ends.h"

namespace adarun::launcher::agent {
namespace {

using namespace std::chrono_literals;

TEST(Channel, OwesAWordFromTheFirstBytesOfAMessageUntilOneIsSent) {
  ChannelEnds ends;
  Channel& channel = ends.channel();
  const std::string frame = protocol::encode(protocol::Ping{7});
  EXPECT_EQ(channel.word_due(1s, 5s), channel.heard() + 5s);
  ASSERT_TRUE(ends.send_bytes(frame.substr(0, frame.size() / 2)));
  EXPECT_FALSE(channel.next());
  const auto due = channel.word_due(1s, 5s);
  ASSERT_TRUE(due);
  EXPECT_LT(*due, channel.heard() + 1s) << "silence is counted from the last word, not from the last byte";
  channel.send(protocol::Pong{0, 0});
  EXPECT_EQ(channel.word_due(1s, 5s), channel.heard() + 5s);
  ASSERT_TRUE(ends.send_bytes(frame.substr(frame.size() / 2)));
  EXPECT_EQ(channel.next(), protocol::Message(protocol::Ping{7}));
  EXPECT_LT(*channel.word_due(1s, 5s), channel.heard() + 1s);
}

TEST(Channel, OwesOneWordInALongSilence) {
  ChannelEnds ends;
  Channel& channel = ends.channel();
  channel.send(protocol::Pong{0, 0});
  EXPECT_EQ(channel.word_due(1s, 0s), std::nullopt) << "it was sent in the silence";
  EXPECT_EQ(channel.word_due(1s, 5s), channel.heard() + 5s);
}

using State = DoneDelivery::State;

class DoneDeliveryOverAChannel : public testing::Test {
 protected:
  ChannelEnds ends_;
  Channel& channel_ = ends_.channel();
  const Clock::time_point now_ = Clock::now();
};

TEST_F(DoneDeliveryOverAChannel, IsOverWhenDoneIsWrittenWhereNobodyCanComeBack) {
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  EXPECT_EQ(delivery.state(now_), State::delivered);
  EXPECT_EQ(ends_.received(), std::vector<protocol::Message>{protocol::Done{}});
}

TEST_F(DoneDeliveryOverAChannel, IsOverWithTheOnlyConnection) {
  channel_.cut();
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  EXPECT_EQ(delivery.state(now_), State::delivered);
}

TEST_F(DoneDeliveryOverAChannel, WaitsUntilALauncherThatMayComeBackHasSaidThatItHasDone) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  EXPECT_EQ(delivery.state(now_ + std::chrono::hours{1}), State::waiting);
  ASSERT_TRUE(ends_.send(protocol::Received{channel_.position()}));
  ASSERT_FALSE(channel_.next());
  EXPECT_EQ(delivery.state(now_), State::delivered);
}

TEST_F(DoneDeliveryOverAChannel, IsNotOverByWhatWasWrittenToAConnectionThatWasCut) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  ASSERT_TRUE(channel_.sent(channel_.position()));
  channel_.cut();
  EXPECT_EQ(delivery.state(channel_.cut_at() + std::chrono::hours{1}), State::waiting);
  channel_.abandon();
  EXPECT_EQ(delivery.state(channel_.cut_at() + std::chrono::hours{1}), State::given_up);
}

// As where a Pong is still to be sent.
TEST_F(DoneDeliveryOverAChannel, HearsALauncherThatHangsUpAtOnceWhileMoreIsToBeSent) {
  ::signal(SIGPIPE, SIG_IGN);  // As agents do.
  channel_.keep_for_resume("", std::chrono::seconds{10});
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  const protocol::Received confirmed{channel_.position()};
  channel_.send(protocol::Pong{1, 0});
  ASSERT_TRUE(ends_.send_and_hang_up(confirmed));
  channel_.flush();
  ASSERT_TRUE(channel_.rest_due()) << "the write has failed";
  ASSERT_TRUE(channel_.receive(now_));
  ASSERT_FALSE(channel_.next());
  EXPECT_EQ(delivery.state(now_), State::delivered);
  EXPECT_FALSE(channel_.receive(now_)) << "the end of the stream";
}

TEST_F(DoneDeliveryOverAChannel, IsGivenUpWhereNobodyIsThereAnyMore) {
  channel_.keep_for_resume("", std::chrono::seconds{10});
  channel_.cut();
  channel_.abandon();
  const DoneDelivery delivery(channel_, protocol::Done{}, now_);
  EXPECT_EQ(delivery.state(now_), State::waiting);
  EXPECT_EQ(delivery.state(now_ + DoneDelivery::abandoned_timeout), State::given_up);
}

}  // namespace
}  // namespace adarun::launcher::agent
