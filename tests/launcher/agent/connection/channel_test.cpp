// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/channel.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace adarun::launcher::agent
