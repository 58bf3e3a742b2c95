// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/rank_streams.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::launcher::agent {
namespace {

using protocol::Stream;

const Clock::time_point start{};
const std::string large(OutputBatcher::large_read_bytes, 'x');

TEST(OutputBatcher, GivesALineAtOnce) {
  OutputBatcher batcher(3);
  EXPECT_FALSE(batcher.take(start));
  batcher.add(Stream::out, "a line\n", start);
  EXPECT_EQ(batcher.take(start), (protocol::Output{3, Stream::out, "a line\n", 0}));
  EXPECT_TRUE(batcher.empty());
  EXPECT_FALSE(batcher.due());
}

TEST(OutputBatcher, PutsLargeReadsIntoOneFrame) {
  OutputBatcher batcher(0);
  std::string all;
  for (std::size_t size = 0; size < OutputBatcher::frame_bytes; size += large.size()) {
    EXPECT_FALSE(batcher.take(start)) << size;
    batcher.add(Stream::out, large, start);
    all += large;
  }
  EXPECT_EQ(batcher.take(start), (protocol::Output{0, Stream::out, all, 0}));
  batcher.add(Stream::out, "end", start);
  EXPECT_EQ(batcher.take(start), (protocol::Output{0, Stream::out, "end", all.size()}));
}

TEST(OutputBatcher, WaitsForMoreForAMomentOnly) {
  OutputBatcher batcher(0);
  batcher.add(Stream::out, large, start);
  EXPECT_EQ(batcher.due(), start + OutputBatcher::timeout);
  EXPECT_FALSE(batcher.take(start));
  EXPECT_FALSE(batcher.empty());
  EXPECT_EQ(batcher.take(start + OutputBatcher::timeout), (protocol::Output{0, Stream::out, large, 0}));
}

TEST(OutputBatcher, AddsWhatIsLittleToWhatWaits) {
  OutputBatcher batcher(0);
  batcher.add(Stream::out, large, start);
  batcher.add(Stream::out, "rest", start);
  EXPECT_FALSE(batcher.take(start));
  EXPECT_EQ(batcher.take(start + OutputBatcher::timeout),
            (protocol::Output{0, Stream::out, large + "rest", 0}));
}

TEST(OutputBatcher, KeepsTheOrderOfBothStreams) {
  OutputBatcher batcher(0);
  batcher.add(Stream::out, large, start);
  batcher.add(Stream::err, "error\n", start);
  EXPECT_EQ(batcher.take(start), (protocol::Output{0, Stream::out, large, 0}));
  EXPECT_EQ(batcher.take(start), (protocol::Output{0, Stream::err, "error\n", large.size()}));
  EXPECT_TRUE(batcher.empty());
}

TEST(OutputBatcher, FollowsWhatWasSentBefore) {
  OutputBatcher batcher(3, 100);
  EXPECT_EQ(batcher.end(), 100U);
  batcher.add(Stream::out, "a line\n", start);
  EXPECT_EQ(batcher.take(start), (protocol::Output{3, Stream::out, "a line\n", 100}));
  EXPECT_EQ(batcher.end(), 107U);
}

TEST(OutputBatcher, GivesAllAtTheEnd) {
  OutputBatcher batcher(0);
  batcher.add(Stream::out, large, start);
  batcher.finish();
  EXPECT_FALSE(batcher.empty());
  EXPECT_EQ(batcher.take(start), (protocol::Output{0, Stream::out, large, 0}));
  EXPECT_TRUE(batcher.empty());
}

}  // namespace
}  // namespace adarun::launcher::agent
