// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/process_limit_options.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

#include "launcher/protocol/process_limits.h"
#include "tests/cli/refusals.h"

namespace adarun::cli {
namespace {

using launcher::protocol::Bind;
using launcher::protocol::Limit;
using launcher::protocol::ProcessLimits;
using launcher::protocol::Stdout;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

TEST(ProcessLimit, IsBothSoftAndHardUnlessBothAreSaid) {
  EXPECT_EQ(parse_limit("core=unlimited"), (Limit{RLIMIT_CORE, no_limit, no_limit}));
  EXPECT_EQ(parse_limit("nofile=65536"), (Limit{RLIMIT_NOFILE, 65536, 65536}));
  EXPECT_EQ(parse_limit("nofile=1024:65536"), (Limit{RLIMIT_NOFILE, 1024, 65536}));
  EXPECT_EQ(parse_limit("as=1.5G"), (Limit{RLIMIT_AS, 1'500'000'000, 1'500'000'000}));
  EXPECT_EQ(parse_limit("core=0:unlimited"), (Limit{RLIMIT_CORE, 0, no_limit}));
}

TEST(ProcessLimit, IsNoOtherText) {
  for (const char* text : {"", "core", "core=", "=1", "cores=1", "core=-1", "core=1x", "core=2:1",
                           "core=1:", "core=:1", "core=unlimited:1", "core=1:2:3"})
    EXPECT_EQ(parse_limit(text), std::nullopt) << text;
}

TEST(Umask, IsOctalUpTo777) {
  EXPECT_EQ(parse_umask("027"), 027);
  EXPECT_EQ(parse_umask("0"), 0);
  EXPECT_EQ(parse_umask("777"), 0777);
  for (const char* text : {"", "8", "1000", "-1", "0x1f", "22 ", "u=rwx"})
    EXPECT_EQ(parse_umask(text), std::nullopt) << text;
}

TEST(ProcessLimitTexts, AreAsOnTheCommandLine) {
  EXPECT_EQ(umask_text(027), "027");
  EXPECT_EQ(umask_text(0), "000");
  EXPECT_EQ(limit_text(no_limit), "unlimited");
  EXPECT_EQ(limit_text(17), "17");
  EXPECT_STREQ(name_of(Bind::numa), "numa");
  EXPECT_STREQ(name_of(Stdout::pipe), "pipe");
}

std::string refusal_of_limits(ProcessLimits& limits, const std::vector<std::string>& words) {
  return refusal_of([&limits](CLI::App& app) { add_process_limits(app, limits); }, words);
}

TEST(ProcessLimitOptions, LeaveAllToTheNodeByDefault) {
  ProcessLimits limits;
  EXPECT_EQ(refusal_of_limits(limits, {}), "");
  EXPECT_EQ(limits, ProcessLimits());
  EXPECT_EQ(limits.bind, Bind::none);
  EXPECT_EQ(limits.out, Stdout::terminal);
}

TEST(ProcessLimitOptions, AreTakenTogether) {
  ProcessLimits limits;
  EXPECT_EQ(refusal_of_limits(limits, {"--bind", "core", "--stdout", "pipe", "--umask", "007", "--ulimit",
                                       "core=0", "--ulimit", "nofile=9"}),
            "");
  const ProcessLimits wanted{Bind::core, 007, {{RLIMIT_CORE, 0, 0}, {RLIMIT_NOFILE, 9, 9}}, Stdout::pipe, {}};
  EXPECT_EQ(limits, wanted);
}

TEST(ProcessLimitOptions, AreRefusedWithWhatIsWanted) {
  ProcessLimits limits;
  EXPECT_EQ(refusal_of_limits(limits, {"--bind", "cores"}), "--bind: \"cores\": wanted none|core|numa");
  EXPECT_EQ(refusal_of_limits(limits, {"--bind", "socket"}),
            "--bind: \"socket\": wanted none|core|numa; numa is the nearest to it");
  EXPECT_EQ(refusal_of_limits(limits, {"--stdout", "file"}), "--stdout: \"file\": wanted terminal|pipe");
  EXPECT_EQ(refusal_of_limits(limits, {"--umask", "9"}), "--umask: \"9\": wanted a mask such as 027");
  EXPECT_EQ(refusal_of_limits(limits, {"--ulimit", "cores=1"}),
            "--ulimit: \"cores=1\": wanted NAME=VALUE or NAME=SOFT:HARD, such as core=unlimited or as=4G; "
            "NAME is one of " +
                launcher::protocol::names_of_limits());
}

}  // namespace
}  // namespace adarun::cli
