// SPDX-License-Identifier: Apache-2.0
#include "base/path_parts.h"

#include <gtest/gtest.h>

namespace adarun::base {
namespace {

TEST(PathParts, AreTheNamesBetweenSlashes) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"/a//b/", {"a", "b"}}, {"a", {"a"}}, {"a/b", {"a", "b"}}, {"", {}}, {"///", {}},
      {"./..", {".", ".."}}};
  for (const auto& [path, parts] : cases) EXPECT_EQ(path_parts(path), parts) << path;
}

}  // namespace
}  // namespace adarun::base
