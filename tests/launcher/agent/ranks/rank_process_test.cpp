// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/rank_process.h"

#include <gtest/gtest.h>

namespace adarun::launcher::agent {
namespace {

const CrashedProcess dead{12, 11, "./bin/a_program_with_a_long_name", "/home/ada", "node1"};

TEST(CoreFile, IsWhereThePatternSays) {
  EXPECT_EQ(core_file("core", false, dead), "/home/ada/core");
  EXPECT_EQ(core_file("core", true, dead), "/home/ada/core.12");
  EXPECT_EQ(core_file("core.%p", true, dead), "/home/ada/core.12");
  EXPECT_EQ(core_file("/cores/%h/%e.%s.%p", false, dead), "/cores/node1/a_program_with_.11.12");
  EXPECT_EQ(core_file("/cores/%f-%t-100%%", false, dead), "/cores/a_program_with_a_long_name-*-100%");
  EXPECT_EQ(core_file("/cores/x%", false, dead), "/cores/x");
}

TEST(CoreFile, MayBeGivenToAProgram) {
  EXPECT_EQ(core_file("|/usr/lib/systemd/systemd-coredump %P %u", false, dead),
            "given to /usr/lib/systemd/systemd-coredump");
  EXPECT_EQ(core_file("|/bin/keep", false, dead), "given to /bin/keep");
  EXPECT_EQ(core_file("", false, dead), "");
}

}  // namespace
}  // namespace adarun::launcher::agent
