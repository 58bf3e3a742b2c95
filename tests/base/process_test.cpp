// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <limits>

namespace adarun::base {
namespace {

constexpr pid_t nobody = std::numeric_limits<pid_t>::max();  // Above every pid_max.

TEST(StartTicks, AreTheSameForAProcessEachTime) {
  EXPECT_GT(start_ticks(getpid()), 0U);
  EXPECT_EQ(start_ticks(getpid()), start_ticks(getpid()));
}

TEST(StartTicks, AreZeroWhereThereIsNoProcess) {
  EXPECT_EQ(start_ticks(nobody), 0U);
}

TEST(IsHidden, IsFalseOfOurselvesAndOfNobody) {
  EXPECT_FALSE(is_hidden(getpid()));
  EXPECT_FALSE(is_hidden(nobody));
}

const std::string v1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n";

std::string mounted(const std::string& root, const std::string& point) {
  return v1 + "41 31 0:38 " + root + " " + point + " rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw\n";
}

TEST(CgroupFolder, IsThePathOfThisProcessUnderTheMount) {
  EXPECT_EQ(cgroup_folder(mounted("/", "/sys/fs/cgroup"), "0::/user.slice/session-3.scope\n"),
            "/sys/fs/cgroup/user.slice/session-3.scope");
  EXPECT_EQ(cgroup_folder(mounted("/", "/sys/fs/cgroup/unified"), "4:memory:/a\n0::/\n"),
            "/sys/fs/cgroup/unified");
  EXPECT_EQ(cgroup_folder(mounted("/", "/mnt/my\\040groups"), "0::/a b\n"), "/mnt/my groups/a b");
}

TEST(CgroupFolder, OfAMountOfAPartIsWhatLiesInIt) {
  EXPECT_EQ(cgroup_folder(mounted("/docker/1", "/sys/fs/cgroup"), "0::/docker/1/x\n"), "/sys/fs/cgroup/x");
  EXPECT_EQ(cgroup_folder(mounted("/docker/1", "/sys/fs/cgroup"), "0::/docker/1\n"), "/sys/fs/cgroup");
  EXPECT_EQ(cgroup_folder(mounted("/docker/1", "/sys/fs/cgroup"), "0::/docker/12\n"), std::nullopt);
}

TEST(CgroupFolder, IsNoneWhereVersion2IsNotMountedOrOutOfSight) {
  EXPECT_EQ(cgroup_folder(v1, "0::/\n"), std::nullopt);
  EXPECT_EQ(cgroup_folder(mounted("/", "/sys/fs/cgroup"), "4:memory:/a\n"), std::nullopt);
  EXPECT_EQ(cgroup_folder(mounted("/", "/sys/fs/cgroup"), "0::/../sibling\n"), std::nullopt);
  EXPECT_EQ(cgroup_folder("", ""), std::nullopt);
  EXPECT_EQ(cgroup_folder("x - cgroup2 y\n", "0::/\n"), std::nullopt);
}

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
