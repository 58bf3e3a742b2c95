// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_link.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::launcher {
namespace {

TEST(TextEnd, IsAllOfAShortText) {
  TextEnd end(6);
  EXPECT_EQ(end.text(), "");
  end.append("abc");
  end.append("def");
  EXPECT_EQ(end.text(), "abcdef");
}

TEST(TextEnd, HasWhatCameLastOfALongOne) {
  TextEnd end(6);
  for (int i = 0; i < 1000; ++i) end.append("noise\n");
  end.append("why");
  EXPECT_EQ(end.text(), "se\nwhy");
  end.append(std::string(100, 'x') + "reason");
  EXPECT_EQ(end.text(), "reason");
}

}  // namespace
}  // namespace adarun::launcher
