// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/node_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/clean_text.h"

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

TEST(FoldedLines, NameFilesWithAllTheirHosts) {
  FoldedLines files;
  files.add("node1", "/tmp/log");
  files.add("node7", "/tmp/a\nb");
  files.add("node2", "/tmp/log");
  EXPECT_EQ(files.file_names(), "node[1-2]:/tmp/log node7:" + base::clean_line("/tmp/a\nb"));
  EXPECT_EQ(FoldedLines().file_names(), "");
}

// With work for each pair of lines, this would take minutes.
TEST(FoldedLines, MayBeManyThatDiffer) {
  constexpr std::size_t many = 200'000;
  FoldedLines lines;
  for (std::size_t i = 0; i < many; ++i) lines.add("node1", "/data/run7/" + std::to_string(many + i));
  const std::string names = lines.file_names();
  EXPECT_TRUE(names.ends_with(" node1:/data/run7/" + std::to_string(2 * many - 1)));
  EXPECT_EQ(std::count(names.begin(), names.end(), ' '), static_cast<std::ptrdiff_t>(many - 1));
}

}  // namespace
}  // namespace adarun::cli
