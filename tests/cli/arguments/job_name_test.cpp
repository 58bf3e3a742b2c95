// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/job_name.h"

#include <gtest/gtest.h>

#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

TEST(JobName, IsALetterOrDigitAndWhatFileNamesAreMadeOf) {
  using Names = std::vector<std::string>;
  for (const std::string& good :
       Names{"a", "7", "train", "run-7.b_2", "A.", "log_output", std::string(63, 'x')})
    EXPECT_TRUE(is_job_name(good)) << good;
  for (const std::string& bad : Names{"", "-x", ".", "..", "_a", "a/b", "./a", "a b", "a:b", "a\n",
                                      "\xc3\xa4", "a*", std::string(64, 'x')})
    EXPECT_FALSE(is_job_name(bad)) << bad;
}

TEST(JobName, IsComparedWithTheShapeOfAnId) {
  for (const char* like : {"2", "20261121", "20261121-", "20261121-104502", "20261121-104502-3fa9c1"})
    EXPECT_TRUE(begins_like_job_id(like)) << like;
  for (const char* unlike :
       {"", "a", "20261121x", "2026-11-21", "20261121-104502-3fa9cg", "20261121-104502-3fa9c1a"})
    EXPECT_FALSE(begins_like_job_id(unlike)) << unlike;
  EXPECT_TRUE(is_job_id("20261121-104502-3fa9c1"));
  EXPECT_FALSE(is_job_id("20261121-104502-3fa9c"));
}

TEST(JobName, OfTheCommandLineIsRefusedWithWhatIsWanted) {
  std::string name;
  const auto add = [&name](CLI::App& app) { add_job_name(app, name); };
  EXPECT_EQ(refusal_of(add, {"--name", "run-7"}), "");
  EXPECT_EQ(name, "run-7");
  EXPECT_EQ(refusal_of(add, {"--name", "2026"}), "") << "whether an id begins so is known later";
  EXPECT_EQ(refusal_of(add, {"--name", "a/b"}),
            "--name: \"a/b\": wanted a letter or digit, then at most 62 letters, digits, '.', '_' and '-'");
  EXPECT_EQ(refusal_of(add, {"--name", ""}),
            "--name: \"\": wanted a letter or digit, then at most 62 letters, digits, '.', '_' and '-'");
  EXPECT_EQ(refusal_of(add, {"--name", "20261121"}),
            "--name: \"20261121\": looks like the id of a job; choose another name");
}

TEST(JobArgument, MayBeLeftOutButNotEmpty) {
  std::string job;
  const auto add = [&job](CLI::App& app) { add_job_argument(app, job); };
  EXPECT_EQ(refusal_of(add, {}), "");
  EXPECT_EQ(job, "");
  EXPECT_EQ(refusal_of(add, {"20261121"}), "");
  EXPECT_EQ(job, "20261121");
  EXPECT_EQ(refusal_of(add, {""}), "job: \"\" names no job (a variable that is not set?)");
}

TEST(JobArguments, AreAnyNumberButNoneIsEmpty) {
  std::vector<std::string> jobs;
  const auto add = [&jobs](CLI::App& app) { add_job_arguments(app, jobs); };
  EXPECT_EQ(refusal_of(add, {}), "");
  EXPECT_TRUE(jobs.empty());
  EXPECT_EQ(refusal_of(add, {"a", "b"}), "");
  EXPECT_EQ(jobs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(refusal_of(add, {"a", ""}), "job: \"\" names no job (a variable that is not set?)");
}

}  // namespace

}  // namespace adarun::cli
