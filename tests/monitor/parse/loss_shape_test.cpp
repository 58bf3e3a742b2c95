// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/loss_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>

namespace adarun::monitor {
namespace {

// What a shape reads of the loss must be what the line parser and from_chars read, to the last bit, or
// nothing, also where the bytes end with the line.
void expect_as_parsed(const std::string& loss) {
  const std::string known = "epoch: 1 step: 1, loss is 2.5 (";
  auto shape = LossShape::of(known, parse_losses(known).places);
  ASSERT_TRUE(shape);
  double exact = 0;
  const std::size_t number = std::min(loss.find_first_not_of(" +"), loss.size());
  std::from_chars(loss.data() + number, loss.data() + loss.size(), exact);
  for (const char* behind : {" (", ", (", "\n"}) {
    const std::string line = "epoch: 1 step: 1, loss is " + loss + behind;
    const auto wanted = parse_loss_line(line);
    for (const char* rest : {"\nroom for whole words behind", "\n"}) {
      LossLine found;
      const std::size_t length = shape->read(line + rest, found);
      ASSERT_EQ(length != LossShape::npos, wanted.has_value()) << line;
      if (!wanted) continue;
      EXPECT_EQ(length, line.find('\n') == std::string::npos ? line.size() : line.find('\n')) << line;
      for (const double loss_wanted : {wanted->loss, exact})
        EXPECT_EQ(std::bit_cast<std::uint64_t>(found.loss), std::bit_cast<std::uint64_t>(loss_wanted))
            << line;
    }
  }
}

TEST(LossShape, ReadsALossToTheSameBits) {
  std::istringstream losses(
      "0 -0 -0.0 0.0 1 -1 2.3 7.793933868408203 9007199254740992 9007199254740993 "
      "0.1234567890123456789 1234567890123456789 12345678901234567890 123456789012345678901234 5. "
      ".5 -.5 . - +1 --1 1e5 1E-5 1e 1e+ 1e999 1e0000000000000000005 1e99999999999999999999 "
      "2.3026e+00 6.9000e-01, 123e22 123e23 12.5e-22 12.5e-21x 9007199254740993e3 0e400 -0e-5 e5 "
      ".e5 1.5e-320 nan NAN -nan inf -Infinity nano 1.2.3 1..2 12345678 12345678.12345678 1234567a "
      "99999999, 0x10 1/2 00000000000000000000000001 0.00000000000000000000001 3:4 12; 1234567/");
  for (std::string text; losses >> text;) expect_as_parsed(text);
  expect_as_parsed("");
}

TEST(LossShape, ReadsARandomLossToTheSameBits) {
  std::minstd_rand chance(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = chance() % 2 == 0 ? std::to_string(chance() % 10) + "." : "";
    const auto length = chance() % 24;
    for (unsigned i = 0; i < length; ++i)
      text += chance() % 100 < 90 ? static_cast<char>('0' + chance() % 10) : ".-e+ :/"[chance() % 7];
    expect_as_parsed(text);
  }
}

}  // namespace
}  // namespace adarun::monitor
