// SPDX-License-Identifier: Apache-2.0
#include "ranktable/merge_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "tests/ranktable/operations/inputs.h"
#include "tests/ranktable/tables.h"
#include "tests/scratch_folder.h"

namespace adarun::ranktable {
namespace {

// Runs in a folder of its own, since the reference writes to the current folder.
class MergeFiles : public ::testing::Test {
 protected:
  MergeFiles() : before_(std::filesystem::current_path()) { std::filesystem::current_path(scratch_.path()); }
  ~MergeFiles() override { std::filesystem::current_path(before_); }

  // The usual command with the reference: merge hccl*.json, in the order of a glob, written under the default
  // name.
  static MergedFiles merge_glob(const std::optional<std::filesystem::path>& output = std::nullopt) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator("."))
      files.push_back(entry.path().filename());
    std::sort(files.begin(), files.end());
    MergedFiles merged = merge_files(files, Order::given, output);
    write_file(merged.output, write(merged.table));
    return merged;
  }
  static void add(const std::string& name, const std::vector<Server>& servers) {
    write_file(name, write(input(name, servers).table));
  }

 private:
  test::ScratchFolder scratch_;
  std::filesystem::path before_;
};

TEST_F(MergeFiles, GivesTheSameFileWhenRunAgainOverItsOwnOutput) {
  add("hccl_2p_01_10.0.0.1.json", {server("10.0.0.1", 1)});
  add("hccl_2p_01_10.0.0.2.json", {server("10.0.0.2", 2)});
  const MergedFiles first = merge_glob();
  EXPECT_EQ(first.output, "hccl_2s_4p.json");
  EXPECT_TRUE(first.warnings.empty());
  const std::string bytes = read_text(first.output);
  for (int again = 0; again < 2; ++again) {
    const MergedFiles second = merge_glob();
    EXPECT_EQ(second.output, first.output);
    EXPECT_EQ(read_text(second.output), bytes);
    EXPECT_EQ(second.warnings,
              std::vector<std::string>{
                  "hccl_2s_4p.json: is the result of an earlier merge of the others: left out"});
  }
}

TEST_F(MergeFiles, GivesTheSameFileUnderANameOfTheUser) {
  add("a.json", {server("10.0.0.1", 1)});
  const std::string bytes = write(merge_glob("all.json").table);
  EXPECT_EQ(write(merge_glob("./all.json").table), bytes);
}

TEST_F(MergeFiles, TakesAMergedTableThatTheOthersDoNotHold) {
  add("hccl_2s_4p.json", {server("10.0.0.1", 1), server("10.0.0.2", 2)});
  add("x.json", {server("10.0.0.3", 3)});
  add("y.json", {server("10.0.0.4", 4)});
  const MergedFiles merged = merge_glob();
  EXPECT_EQ(merged.output, "hccl_4s_8p.json");
  EXPECT_TRUE(merged.warnings.empty());
}

TEST_F(MergeFiles, RefusesAnOldResultOfOtherServers) {
  add("hccl_2s_4p.json", {server("10.0.0.1", 1), server("10.0.0.9", 9)});
  add("x.json", {server("10.0.0.1", 1)});
  add("y.json", {server("10.0.0.2", 2)});
  EXPECT_NE(error_of([] { merge_glob(); }).find("hccl_2s_4p.json and x.json: both have server 10.0.0.1"),
            std::string::npos);
}

TEST_F(MergeFiles, RefusesToReplaceAnInput) {
  add("a.json", {server("10.0.0.1", 1)});
  add("b.json", {server("10.0.0.2", 2)});
  EXPECT_EQ(error_of([] { merge_glob("b.json"); }),
            "b.json: is an input, and would be replaced by the result: name another output");
}

TEST_F(MergeFiles, MayHaveTheNameOfItsResultWhereThatIsPrinted) {
  add("hccl_2s_4p.json", {server("10.0.0.2", 1), server("10.0.0.1", 2)});
  const std::vector<std::filesystem::path> files{"hccl_2s_4p.json"};
  EXPECT_THROW(merge_files(files, Order::numeric, {}), Error);
  const MergedFiles merged = merge_files(files, Order::numeric, {}, MergeTarget::standard_output);
  EXPECT_EQ(merged.table.servers.front().server_id, "10.0.0.1");
}

TEST_F(MergeFiles, LeavesAMergedTableAloneThatIsMergedAgain) {
  add("hccl_1s_2p.json", {server("10.0.0.1", 1)});
  EXPECT_EQ(merge_glob().output, "hccl_1s_2p.json");
}

TEST_F(MergeFiles, RefusesTheSameFileTwice) {
  add("a.json", {server("10.0.0.1", 1)});
  const std::filesystem::path files[] = {"a.json", "./a.json"};
  EXPECT_EQ(error_of([&] { merge_files(files, Order::given, std::nullopt); }),
            "a.json and ./a.json: are the same file");
  std::filesystem::create_symlink("a.json", "link.json");
  const std::filesystem::path linked[] = {"link.json", "a.json"};
  EXPECT_EQ(error_of([&] { merge_files(linked, Order::given, std::nullopt); }),
            "link.json and a.json: are the same file");
}

TEST_F(MergeFiles, RefusesOtherSchemasWithTheCommandThatConverts) {
  add("a.json", {server("10.0.0.1", 1)});
  write_file("it's.json", R"({"status": "completed", "group_count": "0", "group_list": []})");
  const std::filesystem::path files[] = {"a.json", "it's.json"};
  EXPECT_EQ(error_of([&] { merge_files(files, Order::given, {}); }),
            "it's.json: a table of schema cloud, wanted 1.0 or 1.2: adarun ranktable convert 'it'\\''s.json' "
            "--to 1.0 -o '1.0-it'\\''s.json'");
}

}  // namespace
}  // namespace adarun::ranktable
