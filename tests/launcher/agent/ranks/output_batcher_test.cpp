// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/output_batcher.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::launcher::agent {
namespace {

using protocol::Stream;

const Clock::time_point start{};
const std::string large(OutputBatcher::large_read_bytes, 'x');

TEST(OutputBatcher, GivesALineAtOnce) {
  OutputBatcher gathering(3);
  EXPECT_FALSE(gathering.take(start));
  gathering.add(Stream::out, "a line\n", start);
  EXPECT_EQ(gathering.take(start), (protocol::Output{3, Stream::out, "a line\n", 0}));
  EXPECT_TRUE(gathering.empty());
  EXPECT_FALSE(gathering.due());
}

TEST(OutputBatcher, PutsLargeReadsIntoOneFrame) {
  OutputBatcher gathering(0);
  std::string all;
  for (std::size_t size = 0; size < OutputBatcher::frame_bytes; size += large.size()) {
    EXPECT_FALSE(gathering.take(start)) << size;
    gathering.add(Stream::out, large, start);
    all += large;
  }
  EXPECT_EQ(gathering.take(start), (protocol::Output{0, Stream::out, all, 0}));
  gathering.add(Stream::out, "end", start);
  EXPECT_EQ(gathering.take(start), (protocol::Output{0, Stream::out, "end", all.size()}));
}

TEST(OutputBatcher, WaitsForMoreForAMomentOnly) {
  OutputBatcher gathering(0);
  gathering.add(Stream::out, large, start);
  EXPECT_EQ(gathering.due(), start + OutputBatcher::timeout);
  EXPECT_FALSE(gathering.take(start));
  EXPECT_FALSE(gathering.empty());
  EXPECT_EQ(gathering.take(start + OutputBatcher::timeout), (protocol::Output{0, Stream::out, large, 0}));
}

TEST(OutputBatcher, AddsWhatIsLittleToWhatWaits) {
  OutputBatcher gathering(0);
  gathering.add(Stream::out, large, start);
  gathering.add(Stream::out, "rest", start);
  EXPECT_FALSE(gathering.take(start));
  EXPECT_EQ(gathering.take(start + OutputBatcher::timeout),
            (protocol::Output{0, Stream::out, large + "rest", 0}));
}

TEST(OutputBatcher, KeepsTheOrderOfBothStreams) {
  OutputBatcher gathering(0);
  gathering.add(Stream::out, large, start);
  gathering.add(Stream::err, "error\n", start);
  EXPECT_EQ(gathering.take(start), (protocol::Output{0, Stream::out, large, 0}));
  EXPECT_EQ(gathering.take(start), (protocol::Output{0, Stream::err, "error\n", large.size()}));
  EXPECT_TRUE(gathering.empty());
}

TEST(OutputBatcher, GivesAllAtTheEnd) {
  OutputBatcher gathering(0);
  gathering.add(Stream::out, large, start);
  gathering.finish();
  EXPECT_FALSE(gathering.empty());
  EXPECT_EQ(gathering.take(start), (protocol::Output{0, Stream::out, large, 0}));
  EXPECT_TRUE(gathering.empty());
}

}  // namespace
}  // namespace adarun::launcher::agent
