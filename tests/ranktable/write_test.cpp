// SPDX-License-Identifier: Apache-2.0
#include "ranktable/write.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "ranktable/parse.h"
#include "tests/ranktable/random_tables.h"
#include "tests/ranktable/tables.h"
#include "tests/scratch_folder.h"

namespace adarun::ranktable {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Write, GivesTheBytesOfTheReference) {
  EXPECT_EQ(write(two_cards_table()), two_cards);
}

TEST(Write, GivesBackWhatWasRead) {
  for (const std::string& text :
       {two_cards, edited(",\n            \"host_nic_ip\": \"reserve\"", ""),
        edited(
            "\"host_nic_ip\": \"reserve\"",
            "\"host_nic_ip\": \"reserve\",\n            \"host_ip\": \"10.0.0.9\",\n            \"dpu\": [\n"
            "                1,\n                {}\n            ]"),
        edited("completed", "initializing"), edited("10.0.0.2", "kn\\u00f6t\\u007f\\ud83d\\ude00\\n/")})
    EXPECT_EQ(write(parse(text, "t")), text);
}

TEST(Write, CountsServersAnew) {
  EXPECT_EQ(write(parse(edited("\"server_count\": \"1\"", "\"server_count\": \"3\""), "t")), two_cards);
}

TEST(Write, WritesATableWithoutServers) {
  EXPECT_EQ(write(Table{}),
            "{\n    \"version\": \"1.0\",\n    \"server_count\": \"0\",\n    \"server_list\": [],\n"
            "    \"status\": \"completed\"\n}");
}

TEST(Write, RefusesTextThatIsNotUtf8) {
  Table table = two_cards_table();
  table.servers[0].server_id = "\xff";
  EXPECT_NE(error_of([&] { write(table); }).find("UTF-8"), std::string::npos);
}

constexpr unsigned seed = 20;
constexpr int tables_per_schema = 500;

TEST(RoundTrip, GivesBackAnyTableOfAnySchema) {
  for (const Schema schema : all_schemas) {
    RandomTables random(seed);
    for (int i = 0; i < tables_per_schema; ++i) {
      const AnyTable table = random.next(schema);
      const std::string text = write(table);
      const AnyTable again = parse_any(text, "written");
      ASSERT_TRUE(again == table) << name(schema) << ", seed " << seed << ", table " << i << ":\n" << text;
      ASSERT_EQ(write(again), text);
    }
  }
}

TEST(WriteFile, MakesAndReplacesAFileAndLeavesNothingElse) {
  const test::ScratchFolder scratch;
  const fs::path file = scratch.path() / "t.json";
  write_file(file, "one");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  write_file(file, two_cards);
  EXPECT_EQ(content(file), two_cards);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1);
}

TEST(WriteFile, FollowsASymbolicLink) {
  const test::ScratchFolder scratch;
  write_file(scratch.path() / "real", "old");
  fs::create_symlink("real", scratch.path() / "link");
  write_file(scratch.path() / "link", "new");
  EXPECT_TRUE(fs::is_symlink(scratch.path() / "link"));
  EXPECT_EQ(content(scratch.path() / "real"), "new");
}

TEST(WriteFile, WritesToADeviceInPlace) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(WriteFile, NamesAFolderThatIsNotThere) {
  const test::ScratchFolder scratch;
  const fs::path file = scratch.path() / "none" / "t.json";
  EXPECT_EQ(error_of([&] { write_file(file, "x"); }),
            file.string() + ": cannot be written: No such file or directory");
}

TEST(WriteFile, LeavesTheOldFileWhereItCannotReplaceIt) {
  const test::ScratchFolder scratch;
  fs::create_directory(scratch.path() / "t.json");
  error_of([&] { write_file(scratch.path() / "t.json", "x"); });
  EXPECT_TRUE(fs::is_directory(scratch.path() / "t.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1);
}

}  // namespace
}  // namespace adarun::ranktable
