// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/link.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::launcher {
namespace {

TEST(AppendToEnd, KeepsAllOfAShortTextAndTheEndOfALongOne) {
  std::string text;
  append_to_end(text, "abc", 6);
  append_to_end(text, "def", 6);
  EXPECT_EQ(text, "abcdef");
  for (int i = 0; i < 1000; ++i) append_to_end(text, "noise\n", 6);
  append_to_end(text, "why", 6);
  EXPECT_EQ(text, "se\nwhy");
  append_to_end(text, std::string(100, 'x') + "reason", 6);
  EXPECT_EQ(text, "reason");
}

}  // namespace
}  // namespace adarun::launcher
