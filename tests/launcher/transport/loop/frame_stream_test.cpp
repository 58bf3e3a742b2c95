// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/frame_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "launcher/protocol/archive.h"
#include "tests/launcher/transport/fake_link.h"

namespace adarun::launcher {
namespace {

using Acknowledge = FrameStream::Acknowledge;

constexpr std::size_t plenty = 1U << 20U;

// Takes as many bytes as it has room for.
struct BoundedLink : FakeLink {
  explicit BoundedLink(std::size_t room)
      : FakeLink({.takes = [this, room](std::string_view bytes) {
          const std::size_t size = std::min(bytes.size(), room - written.size());
          written += bytes.substr(0, size);
          return size;
        }}) {}

  std::string written;
};

Outbox::Bytes frame(std::uint64_t number) {
  return encoded(protocol::Ping{number});
}

std::string output(std::size_t size) {
  return protocol::encode(protocol::Output{0, protocol::Stream::out, std::string(size, 'x')});
}

// The position of the stream when all of `bytes` was received and every message in it taken.
std::uint64_t position_behind(FrameStream& stream, const std::string& bytes) {
  stream.feed(bytes);
  while (stream.next()) continue;
  return stream.reader().position();
}

TEST(FrameStream, SaysWhetherTheLinkHasTakenAnything) {
  FrameStream stream;
  BoundedLink full(0);
  BoundedLink link(plenty);
  EXPECT_FALSE(stream.transmit(link));
  stream.send(frame(1));
  EXPECT_FALSE(stream.transmit(full));
  EXPECT_TRUE(stream.has_unsent_frames());
  EXPECT_TRUE(stream.transmit(link));
  EXPECT_FALSE(stream.has_unsent_frames());
  EXPECT_EQ(link.written, *frame(1));
}

TEST(FrameStream, WritesABoundedPartOfALongFrameInOneTurn) {
  FrameStream stream;
  BoundedLink link(plenty);
  stream.send(frame(1));
  stream.send(std::make_shared<const std::string>(output(FrameStream::most_per_turn)));
  EXPECT_TRUE(stream.transmit(link));
  EXPECT_EQ(link.written.size(), FrameStream::most_per_turn);
  EXPECT_TRUE(stream.transmit(link));
  EXPECT_EQ(link.written, *frame(1) + output(FrameStream::most_per_turn));
  EXPECT_FALSE(stream.transmit(link));
}

TEST(FrameStream, AcknowledgesInBulkUnlessItIsTold) {
  FrameStream stream;
  const std::uint64_t first = position_behind(stream, std::string(protocol::magic) + output(600'000));
  EXPECT_FALSE(stream.acknowledge(first, Acknowledge::in_bulk));
  const std::uint64_t second = position_behind(stream, output(600'000));
  EXPECT_TRUE(stream.acknowledge(second, Acknowledge::in_bulk));
  EXPECT_TRUE(stream.is_acknowledged());
  const std::uint64_t third = position_behind(stream, output(1));
  EXPECT_FALSE(stream.acknowledge(third, Acknowledge::in_bulk));
  EXPECT_TRUE(stream.acknowledge(third, Acknowledge::now));
  EXPECT_FALSE(stream.acknowledge(third, Acknowledge::now));
  BoundedLink link(plenty);
  stream.transmit(link);
  EXPECT_EQ(link.written,
            protocol::encode(protocol::Received{second}) + protocol::encode(protocol::Received{third}));
}

TEST(FrameStream, IsFinishedOnceWhatCameWithDoneIsAcknowledged) {
  FrameStream stream;
  const std::uint64_t end =
      position_behind(stream, std::string(protocol::magic) + protocol::encode(protocol::Done{}));
  stream.note_done();
  EXPECT_FALSE(stream.is_finished());
  EXPECT_TRUE(stream.acknowledge(end, Acknowledge::in_bulk));
  EXPECT_TRUE(stream.is_finished());
}

TEST(FrameStream, ContinuesOverAnotherLinkWhereEachSideStands) {
  FrameStream stream;
  const std::string message = output(9);
  position_behind(stream, std::string(protocol::magic) + message.substr(0, 6));
  stream.send(frame(1));
  stream.send(frame(2));
  BoundedLink cut(frame(1)->size() + 2);
  stream.transmit(cut);
  stream.resume(frame(1)->size(), message.substr(6));
  EXPECT_TRUE(stream.next().has_value());
  BoundedLink link(plenty);
  EXPECT_TRUE(stream.transmit(link));
  EXPECT_EQ(link.written, protocol::encode(protocol::Resumed{6}) + *frame(2));
}

TEST(FrameStream, CannotGoOnFromWhatItHasForgotten) {
  FrameStream stream;
  stream.send(frame(1));
  BoundedLink link(plenty);
  stream.transmit(link);
  stream.confirm_sent(frame(1)->size());
  EXPECT_EQ(stream.kept_bytes(), 0U);
  EXPECT_THROW(stream.resume(0, ""), protocol::Error);
}

}  // namespace
}  // namespace adarun::launcher
