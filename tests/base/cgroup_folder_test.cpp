// SPDX-License-Identifier: Apache-2.0
#include "base/cgroup_folder.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

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

}  // namespace
}  // namespace adarun::base
