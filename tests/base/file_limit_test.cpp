// SPDX-License-Identifier: Apache-2.0
#include "base/file_limit.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

rlim_t soft_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

// A soft limit below the hard one, as users have it, for the duration of a test.
class FileLimitTest : public testing::Test {
 protected:
  FileLimitTest() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit usual{before_.rlim_max / 2, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &usual);
  }
  ~FileLimitTest() override { setrlimit(RLIMIT_NOFILE, &before_); }

  rlimit before_{};
};

TEST_F(FileLimitTest, IsRaisedForAsLongAsItLives) {
  const rlim_t users = soft_limit();
  {
    const FileLimit raised;
    EXPECT_EQ(soft_limit(), before_.rlim_max);
  }
  EXPECT_EQ(soft_limit(), users);
}

}  // namespace
}  // namespace adarun::base
