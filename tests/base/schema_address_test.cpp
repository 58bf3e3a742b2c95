// SPDX-License-Identifier: Apache-2.0
#include "base/schema_address.h"

#include <gtest/gtest.h>

#include "tests/scratch_folder.h"

namespace adarun::base {
namespace {

namespace fs = std::filesystem;

TEST(SchemaAddress, IsBelowThePrefixOfTheProgram) {
  const test::ScratchFolder folder;
  const fs::path docs = folder.path() / "a b%/share/doc/adarun/docs";
  fs::create_directories(docs);
  fs::create_directories(folder.path() / "a b%/bin");
  const fs::path program = folder.write("a b%/bin/adarun", "");
  fs::create_symlink(program, folder.path() / "link");
  folder.write("a b%/share/doc/adarun/docs/spec.schema.json", "{}");
  const std::string wanted =
      "file://" + folder.path().string() + "/a%20b%25/share/doc/adarun/docs/spec.schema.json";
  EXPECT_EQ(schema_address("spec", program), wanted);
  EXPECT_EQ(schema_address("spec", folder.path() / "link"), wanted);
}

TEST(SchemaAddress, IsBelowUsrWhereThePrefixHasNone) {
  const std::string wanted = "file:///usr/share/doc/adarun/docs/config.schema.json";
  EXPECT_EQ(schema_address("config"), wanted);
  EXPECT_EQ(schema_address("config", "/no/program"), wanted);
}

}  // namespace
}  // namespace adarun::base
