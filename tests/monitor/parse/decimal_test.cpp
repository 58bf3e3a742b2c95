// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>

namespace adarun::monitor {
namespace {

void expect_as_from_chars(const std::string& text) {
  double wanted = 0;
  const auto [behind, wrong] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  double found = 0;
  const char* at = text.data();
  ASSERT_EQ(read_decimal(at, text.data() + text.size(), found), wrong == std::errc()) << text;
  if (wrong != std::errc()) {
    EXPECT_EQ(at, text.data()) << text;
    return;
  }
  EXPECT_EQ(at - text.data(), behind - text.data()) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(wanted)) << text;
}

TEST(Decimal, ReadsWhatFromCharsReadsToTheSameBits) {
  for (const char* text : {"0",
                           "-0",
                           "-0.0",
                           "0.0",
                           "1",
                           "-1",
                           "2.3",
                           "7.793933868408203",
                           "9007199254740992",
                           "9007199254740993",
                           "0.1234567890123456789",
                           "1234567890123456789",
                           "12345678901234567890",
                           "123456789012345678901234",
                           "5.",
                           ".5",
                           "-.5",
                           ".",
                           "-",
                           "",
                           "+1",
                           "--1",
                           "1e5",
                           "1E-5",
                           "1e",
                           "1e+",
                           "1e999",
                           "1e0000000000000000005",
                           "1e99999999999999999999",
                           "2.3026e+00",
                           "6.9000e-01,",
                           "123e22",
                           "123e23",
                           "12.5e-22",
                           "12.5e-21x",
                           "9007199254740993e3",
                           "0e400",
                           "-0e-5",
                           "e5",
                           ".e5",
                           "1.5e-320",
                           "nan",
                           "NAN",
                           "-nan",
                           "inf",
                           "-Infinity",
                           "nano",
                           "1.2.3",
                           "1..2",
                           "12345678",
                           "12345678.12345678",
                           "1234567a",
                           "99999999,",
                           "0x10",
                           "1/2",
                           "00000000000000000000000001",
                           "0.00000000000000000000001",
                           "3:4",
                           "12;",
                           "1234567/"})
    expect_as_from_chars(text);
}

TEST(Decimal, ReadsRandomTextAsFromCharsDoes) {
  std::minstd_rand chance(3);
  for (int round = 0; round < 200'000; ++round) {
    std::string text;
    const auto length = chance() % 24;
    for (unsigned i = 0; i < length; ++i)
      text += chance() % 100 < 90 ? static_cast<char>('0' + chance() % 10) : ".-e+ :/"[chance() % 7];
    expect_as_from_chars(text);
  }
}

}  // namespace
}  // namespace adarun::monitor
