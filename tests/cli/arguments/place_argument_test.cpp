// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/place_argument.h"

#include <gtest/gtest.h>

#include "tests/cli/arguments/refusal_of.h"

namespace adarun::cli {
namespace {

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
