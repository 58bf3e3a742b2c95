// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/node_files.h"

#include <gtest/gtest.h>

namespace adarun::cli {
namespace {

TEST(FoldedLines, HaveALineOnceWithAllItsHosts) {
  FoldedLines lines;
  lines.add("node1", "2 files, 3 kB");
  lines.add("node2", "1 file, 3 kB");
  lines.add("node3", "2 files, 3 kB");
  EXPECT_EQ(lines.text(""), "node[1,3]: 2 files, 3 kB\nnode2: 1 file, 3 kB\n");
}

TEST(FoldedLines, HaveTheirBeginningBeforeEach) {
  FoldedLines lines;
  lines.add("node1", "a");
  lines.add("node1", "b");
  EXPECT_EQ(lines.text("adarun: "), "adarun: node1: a\nadarun: node1: b\n");
  EXPECT_EQ(FoldedLines().text("adarun: "), "");
}

}  // namespace
}  // namespace adarun::cli
