// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/pack.h"

#include <gtest/gtest.h>

#include <random>

#include "launcher/protocol/archive.h"

namespace adarun::launcher::protocol {
namespace {

std::string random_text(std::size_t size, int letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() % static_cast<unsigned>(letters));
  return text;
}

TEST(Pack, GivesEveryTextBack) {
  for (const int letters : {1, 2, 4, 256})
    for (const std::size_t size : {0U, 1U, 5U, 6U, 7U, 13U, 255U, 70'000U}) {
      const std::string text = random_text(size, letters, static_cast<unsigned>(size) + 1);
      EXPECT_EQ(unpack(pack(text), size), text) << size << " bytes of " << letters << " letters";
    }
}

TEST(Pack, MakesARankTableSmall) {
  std::string table;
  for (int rank = 0; rank < 8'000; ++rank)
    table += R"({"device_id":")" + std::to_string(rank % 8) + R"(","device_ip":"10.1.)" +
             std::to_string(rank / 250) + "." + std::to_string(rank % 250) + R"(","rank_id":")" +
             std::to_string(rank) + "\"}";
  EXPECT_LT(pack(table).size() * 3, table.size());
}

TEST(Pack, AddsLittleToWhatDoesNotShrink) {
  EXPECT_LT(pack(random_text(100'000, 256, 1)).size(), 100'100U);
}

TEST(Unpack, RefusesWhatIsLongerThanAllowed) {
  EXPECT_THROW(unpack(pack("hello, hello, hello"), 18), Error);
}

TEST(Unpack, RefusesBytesThatEndEarlyOrGoOn) {
  const std::string packed = pack(random_text(300, 3, 7));
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_THROW(unpack(packed.substr(0, size), 300), Error) << size;
  EXPECT_THROW(unpack(packed + "x", 300), Error);
}

TEST(Unpack, RefusesStretchesThatAreNotThere) {
  const std::string three_bytes =
      "\x0a\x03"
      "abc";
  EXPECT_EQ(unpack(three_bytes + "\x07\x03", 10), "abcabcabca");
  EXPECT_THROW(unpack(three_bytes + std::string("\x07\x00", 2), 10), Error);
  EXPECT_THROW(unpack(three_bytes + "\x07\x04", 10), Error);
  EXPECT_THROW(unpack(three_bytes + "\x08\x03", 10), Error);
  EXPECT_THROW(unpack(three_bytes + std::string("\x00\x03", 2), 10), Error);
  EXPECT_THROW(unpack("\xff\xff\xff\xff\xff\xff\x01", 10), Error);
}

}  // namespace
}  // namespace adarun::launcher::protocol
