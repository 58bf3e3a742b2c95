// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/completion.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "launcher/record/job_index.h"
#include "tests/cli/jobs/job_index.h"

namespace adarun::cli {
namespace {

using Words = std::vector<std::string>;

// A program with commands such as those of adarun.
class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    app_.add_option("--color", text_)->type_name("auto|always|never");
    CLI::App& launch = *app_.add_subcommand("launch", "Run a program");
    launch.add_option("-H,--hosts", text_)->type_name("LIST");
    launch.add_option("-r,--rank-table", text_)->type_name("FILE");
    launch.add_option("--log-dir", text_)->type_name("DIR");
    launch.add_option("--show", text_)->type_name("RANKS");
    launch.add_option("--ssh-config", text_)->type_name("FILE");
    launch.add_flag("-v,--verbose");
    app_.add_subcommand("logs", "Print logs")->add_option("place", text_)->type_name("JOB|DIR|FILE");
    app_.add_subcommand("stop", "End a job")->add_option("job", text_)->type_name("JOB");
    app_.add_subcommand("attach", "Show a job")->add_option("job", text_)->type_name("JOB");
    app_.add_subcommand("man-pages", "")->group("");
  }

  Completion completed(const Words& words) { return complete(read_typed_words(app_, words)); }
  Words words_for(const Words& words) {
    Words found;
    for (const Completion::Candidate& each : completed(words).candidates) found.push_back(each.word);
    return found;
  }

  JobIndex index_;
  CLI::App app_{"", "adarun"};
  std::string text_;
};

TEST_F(CompletionTest, OffersTheCommandsThatHelpShows) {
  EXPECT_EQ(words_for({""}), (Words{"launch", "logs", "stop", "attach"}));
  EXPECT_EQ(words_for({"l"}), (Words{"launch", "logs"}));
  EXPECT_EQ(completed({"lau"}).candidates, (std::vector<Completion::Candidate>{{"launch", "Run a program"}}));
  EXPECT_EQ(words_for({"x"}), Words());
}

TEST_F(CompletionTest, OffersOptionsOfTheCommandAndThoseAroundItOnce) {
  EXPECT_EQ(words_for({"stop", "--"}), (Words{"--help", "--color"}));
  EXPECT_EQ(words_for({"launch", "--log"}), (Words{"--log-dir"}));
  EXPECT_EQ(words_for({"launch", "--no"}), Words());
}

TEST_F(CompletionTest, OffersTheWordsOfAChoice) {
  EXPECT_EQ(words_for({"--color", "a"}), (Words{"auto", "always"}));
  EXPECT_EQ(words_for({"--color=n"}), (Words{"--color=never"}));
}

TEST_F(CompletionTest, LeavesFilesFoldersAndProgramsToTheShell) {
  EXPECT_TRUE(completed({"launch", "-r", ""}).files);
  EXPECT_TRUE(completed({"launch", "--log-dir", ""}).folders);
  EXPECT_FALSE(completed({"launch", "--log-dir", ""}).files);
  EXPECT_TRUE(completed({"launch", "--", ""}).program);
  EXPECT_FALSE(completed({"logs", "--", ""}).program);
}

TEST_F(CompletionTest, OffersHostsOfTheSshConfigBehindThoseThatStandBefore) {
  const std::string config = index_.scratch().write("config", "Host gpu1 gpu2\nHost *.pool\n");
  const Completion hosts = completed({"launch", "--ssh-config", config, "--hosts", "node[1,2]:8,gp"});
  EXPECT_EQ(hosts.candidates,
            (std::vector<Completion::Candidate>{{"node[1,2]:8,gpu1", "of the ssh config"},
                                                {"node[1,2]:8,gpu2", "of the ssh config"}}));
  EXPECT_TRUE(hosts.open) << "more may follow";
  EXPECT_TRUE(hosts.files) << "or it is a hostfile";
}

TEST_F(CompletionTest, OffersTheRanksOfTheHostsThatStandBefore) {
  EXPECT_EQ(words_for({"launch", "--hosts", "a:2,b:1", "--show", ""}), (Words{"0", "1", "2"}));
  EXPECT_EQ(words_for({"launch", "--hosts", "a:2,b:1", "--show", "0-"}), (Words{"0-0", "0-1", "0-2"}));
  EXPECT_EQ(words_for({"launch", "--hosts", "a[", "--show", ""}), Words()) << "a list that is wrong";
}

TEST_F(CompletionTest, OffersJobsAndOnlyThoseThatRunHereToBeStopped) {
  launcher::SupervisorProcess here = this_supervisor();
  here.folder = "/f";
  launcher::SupervisorProcess detached = here;
  detached.detached = true;
  launcher::SupervisorProcess gone = detached;
  gone.ticks = 7;
  launcher::SupervisorProcess elsewhere = detached;
  elsewhere.host = "elsewhere";
  const auto enter = [this](int number, const std::string& state, const std::string& supervisor) {
    const std::string text = std::to_string(number);
    index_.enter("20261121-" + text, R"("state": ")" + state + R"(", "began_ns": )" + text +
                                         R"(, "world_size": 2, "argv": ["./train"])" + supervisor);
  };
  enter(1, "done", "");
  enter(2, "failed", ", " + supervisor_member(gone));
  enter(3, "failed", ", " + supervisor_member(detached));
  enter(4, "failed", ", " + supervisor_member(detached));
  enter(5, "running", ", " + supervisor_member(elsewhere));
  enter(6, "running", ", " + supervisor_member(here));
  EXPECT_EQ(words_for({"logs", "2026"}),
            (Words{"20261121-6", "20261121-5", "20261121-4", "20261121-3", "20261121-2", "20261121-1"}));
  EXPECT_TRUE(completed({"logs", "2026"}).files);
  EXPECT_EQ(completed({"stop", ""}).candidates,
            (std::vector<Completion::Candidate>{{"20261121-6", "running, 2 ranks: ./train"},
                                                {"20261121-4", "failed, 2 ranks: ./train"}}))
      << "one between two attempts, of which the newest counts";
  EXPECT_EQ(words_for({"attach", ""}), Words{"20261121-4"}) << "which is detached";
}

}  // namespace
}  // namespace adarun::cli
