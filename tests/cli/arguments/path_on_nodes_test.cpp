// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/path_on_nodes.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace adarun::cli {
namespace {

TEST(PathOnNodes, IsSeenFromHere) {
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(path_on_nodes("."), here);
  EXPECT_EQ(path_on_nodes(""), here);
  EXPECT_EQ(path_on_nodes("./"), here);
  EXPECT_EQ(path_on_nodes("runs/a b/"), here / "runs/a b");
  EXPECT_EQ(path_on_nodes(".."), here.parent_path());
  EXPECT_EQ(path_on_nodes("../x/./y"), here.parent_path() / "x/y");
}

// `..` is kept: a folder of the path may be a link on the node.
TEST(PathOnNodes, StaysAsItIsWhereItIsAbsolute) {
  EXPECT_EQ(path_on_nodes("/data/link/../run"), "/data/link/../run");
  EXPECT_EQ(path_on_nodes("/"), "/");
}

TEST(ProgramOnNodes, IsLookedUpThereWhereItIsANameAlone) {
  EXPECT_EQ(program_on_nodes("adarun-agent"), "adarun-agent");
  EXPECT_EQ(program_on_nodes("./adarun-agent"), std::filesystem::current_path() / "adarun-agent");
}

TEST(SourcesOnNodes, KeepTheUsualOnes) {
  const launcher::CardSources usual = sources_on_nodes({});
  EXPECT_EQ(usual.hccn_conf + usual.hccn_tool, "");
  const launcher::CardSources given = sources_on_nodes({"hccn.conf", "tools/hccn_tool"});
  EXPECT_EQ(given.hccn_conf, std::filesystem::current_path() / "hccn.conf");
  EXPECT_EQ(given.hccn_tool, std::filesystem::current_path() / "tools/hccn_tool");
}

}  // namespace
}  // namespace adarun::cli
