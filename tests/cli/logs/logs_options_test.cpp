// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/logs_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/arguments/command.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using Words = std::vector<std::string>;

// The error for a command line of adarun logs, from the options or from check_usage; empty if it is accepted.
std::string said_of_logs(LogsOptions& options, const Words& words) {
  CLI::App app;
  const CLI::Option* collect = add_logs_options(app, options);
  try {
    app.parse(Words(words.rbegin(), words.rend()));
    options.collect = collect->count() > 0;
    check_usage(options);
  } catch (const CLI::ParseError& wrong) {
    return wrong.what();
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_usage);
    return error.what();
  }
  return {};
}

TEST(LogsOptions, PrintWholeLogsByDefault) {
  LogsOptions options;
  EXPECT_EQ(said_of_logs(options, {}), "");
  EXPECT_TRUE(options.places.empty());
  EXPECT_TRUE(options.ranks.empty());
  EXPECT_FALSE(options.follow || options.merge || options.tag_output || options.collect);
  EXPECT_FALSE(options.tail || options.since_ms || options.pattern);
}

TEST(LogsOptions, AreTakenTogether) {
  LogsOptions options;
  EXPECT_EQ(said_of_logs(options, {"run1", "--rank", "0,8-9", "--rank", "3", "--tail", "5", "--since", "10m",
                                   "--grep", "NaN", "-f", "--merge", "--tag-output"}),
            "");
  EXPECT_EQ(options.places, Words{"run1"});
  EXPECT_EQ(options.ranks, (std::set<std::uint32_t>{0, 3, 8, 9}));
  EXPECT_EQ(options.tail, 5U);
  EXPECT_TRUE(options.since_ms && options.pattern);
  EXPECT_TRUE(options.follow && options.merge && options.tag_output);
}

TEST(LogsOptions, CollectWithOrWithoutAFolder) {
  LogsOptions kept;
  EXPECT_EQ(said_of_logs(kept, {"run1", "--collect"}), "");
  EXPECT_TRUE(kept.collect);
  EXPECT_EQ(kept.collect_dir, "");
  LogsOptions files;
  EXPECT_EQ(said_of_logs(files, {"--hosts", "node1", "--path", "/tmp/*.log", "--collect", "home"}), "");
  EXPECT_TRUE(files.collect);
  EXPECT_EQ(files.collect_dir, "home");
  EXPECT_EQ(files.paths, Words{"/tmp/*.log"});
}

TEST(LogsOptions, ChooseNodesOfAJobForTheirFiles) {
  LogsOptions options;
  EXPECT_EQ(said_of_logs(options, {"run1", "--path", "/x", "--node", "node1", "--collect", "home"}), "");
  EXPECT_EQ(options.node, "node1");
}

TEST(LogsOptions, MeanTheJobWhoseLogsAreReadByDefault) {
  const test::ScratchFolder scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  LogsOptions options;
  EXPECT_EQ(only_place(options), "");
  std::filesystem::create_directory("log_output");
  EXPECT_EQ(only_place(options), "./log_output") << "also if a job has this name";
  options.places = {"run1"};
  EXPECT_EQ(only_place(options), "run1");
  std::filesystem::current_path(before);
}

TEST(LogsOptions, AreRefusedWithWhatIsWanted) {
  const std::pair<Words, const char*> cases[] = {
      {{"--rank", "a"}, "--rank: \"a\": wanted ranks such as 0,3 or 0-7,12"},
      {{"--tail", "-1"}, "--tail: \"-1\": wanted a number such as 0 or 20"},
      {{"-n", "-1"}, "--tail: \"-1\": wanted a number such as 0 or 20"},
      {{"--since", "soon"}, "--since: \"soon\": wanted a time such as 10m, 14:30 or \"2026-11-21 14:30:00\""},
      {{""}, "place: \"\" names no job (a variable that is not set?)"},
  };
  for (const auto& [words, said] : cases) {
    LogsOptions options;
    EXPECT_EQ(said_of_logs(options, words), said);
  }
  LogsOptions options;
  EXPECT_EQ(said_of_logs(options, {"--grep", "a("}).rfind("--grep: \"a(\": no regular expression: ", 0), 0U);
}

TEST(LogsOptions, AreRefusedWhereTheyDoNotGoTogether) {
  const char* whole_files =
      "--collect brings whole files: --follow, --tail, --since, --grep, --merge and --tag-output do not go "
      "with it";
  const std::pair<Words, const char*> cases[] = {
      {{"--collect", "--follow"}, whole_files},
      {{"--collect", "--tail", "3"}, whole_files},
      {{"--collect", "--since", "1m"}, whole_files},
      {{"--collect", "--grep", "x"}, whole_files},
      {{"--collect", "--merge"}, whole_files},
      {{"--collect", "--tag-output"}, whole_files},
      {{"--hosts", "node1"}, "--hosts: say which files of these hosts: --path GLOB"},
      {{"run1", "--hosts", "node1", "--path", "/x"},
       "--hosts and run1: wanted one of them, a list of hosts or a job"},
      {{"run1", "run2", "--follow"}, "--follow and --merge: wanted one job, found run1 and run2"},
      {{"run1", "run2", "--collect"}, "--collect and --path: wanted one job, found run1 and run2"},
      {{"run1", "--rank", "0", "--path", "/x"},
       "--rank and --path: files of nodes have no ranks; --node chooses nodes"},
      {{"--hosts", "node[1-3]", "--path", "/x", "--node", "node1"},
       "--node chooses nodes of a job; of hosts that are given, --exclude leaves some out"},
      {{"run1", "--path", "/x", "--collect"}, "--collect: say where to: --collect DIR"},
      {{"run1", "--node", "node1", "--collect"},
       "--node and --collect: what agents have kept comes home whole"},
      {{"run1", "--rank", "0", "--collect"}, "--rank and --collect: what agents have kept comes home whole"},
      {{"run1", "--collect", "home"},
       "--collect home: say which files of the nodes: --path GLOB; the logs of a job come home by "
       "themselves, and "
       "--collect alone fetches what its agents have kept"},
  };
  for (const auto& [words, said] : cases) {
    LogsOptions options;
    EXPECT_EQ(said_of_logs(options, words), said);
  }
}

}  // namespace
}  // namespace adarun::cli
