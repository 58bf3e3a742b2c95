// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/spec_file.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/cli/refusals.h"
#include "tests/scratch_folder.h"

namespace adarun::cli {
namespace {

using Texts = std::vector<std::string>;

/// A file of this test's own.
class SpecFileTest : public testing::Test {
 protected:
  SpecFile read(const std::string& text) { return read_spec(scratch_.write("spec", text)); }
  /// What is said of a text, without the file's name before it.
  std::string refusal(const std::string& text) {
    const std::string line = exit_message([&] { read(text); });
    EXPECT_TRUE(line.starts_with(path_.string() + ": ")) << line;
    return line.substr(std::min(line.size(), path_.string().size() + 2));
  }
  std::string refusal_of_role(const std::string& rest) {
    return refusal(R"({"roles": [{"name": "a", "program": ["x"], )" + rest + "}]}");
  }

  const test::ScratchFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "spec";
};

TEST_F(SpecFileTest, HasOptionsAndAProgram) {
  const SpecFile spec =
      read(R"({"hosts": "a:2", "timeout": 30, "env": ["A=1", "B=2"], "quiet": true, "fold": false,
               "program": ["./train", "--lr", "0.1"]})");
  EXPECT_EQ(spec.program, (Texts{"./train", "--lr", "0.1"}));
  ASSERT_EQ(spec.options.size(), 5U);
  EXPECT_EQ(spec.options[0], (Default{"launch", "hosts", {"a:2"}, false, path_.string()}));
  EXPECT_EQ(spec.options[1].values, Texts{"30"});
  EXPECT_EQ(spec.options[2].values, (Texts{"A=1", "B=2"}));
  EXPECT_EQ(spec.options[3], (Default{"launch", "quiet", {"true"}, true, path_.string()}));
  EXPECT_EQ(spec.options[4], (Default{"launch", "fold", {}, true, path_.string()}));
  EXPECT_TRUE(spec.roles.roles.empty());
}

TEST_F(SpecFileTest, MayNameASchemaForEditors) {
  for (const char* schema : {R"("./spec.schema.json")", "7", R"({"hosts": "a"})"})
    EXPECT_TRUE(read(std::string(R"({"$schema": )") + schema + "}").options.empty()) << schema;
  EXPECT_EQ(refusal_of_role(R"("$schema": "x")"), "roles[0]: \"$schema\": no key of a role");
}

TEST_F(SpecFileTest, CountsRanksFromRoleToRole) {
  const SpecFile spec = read(R"({"roles": [
    {"name": "a", "count": 2, "program": ["x"], "background": true, "restarts": 3},
    {"name": "b", "ranks": "2,4", "program": ["y", "z"], "env": ["A=1"], "workdir": "w", "optional": true},
    {"name": "c", "count": 1, "program": ["x"]}]})");
  ASSERT_EQ(spec.roles.roles.size(), 3U);
  const launcher::Role& second = spec.roles.roles[1];
  EXPECT_EQ(spec.roles.roles[0].ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(spec.roles.roles[0].policy, (launcher::RolePolicy{true, false, 3}));
  EXPECT_EQ(second.ranks, (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(second.argv, (Texts{"y", "z"}));
  EXPECT_EQ(second.environment, Texts{"A=1"});
  EXPECT_EQ(second.workdir, "w");
  EXPECT_EQ(second.policy, (launcher::RolePolicy{false, true, 0}));
  EXPECT_EQ(spec.roles.roles[2].ranks, std::vector<std::uint32_t>{5});
}

TEST_F(SpecFileTest, TakesTheHostsOfRolesForThoseOfTheJob) {
  const SpecFile spec = read(R"({"roles": [{"name": "a", "hosts": "n[1-2]:8", "program": ["x"]},
                                           {"name": "b", "hosts": "m", "program": ["x"]}]})");
  ASSERT_EQ(spec.options.size(), 1U);
  EXPECT_EQ(spec.options[0], (Default{"launch", "hosts", {"n[1-2]:8,m"}, false, path_.string()}));
  EXPECT_EQ(spec.roles.hosts.at("a"), "n[1-2]:8");
  EXPECT_TRUE(spec.roles.roles[0].ranks.empty());
}

TEST_F(SpecFileTest, NamesWhatIsWrong) {
  EXPECT_EQ(refusal("[]"), "wanted a JSON object");
  EXPECT_EQ(refusal("{\n\"hosts\": \"a\",\n}"),
            "line 3: no JSON: a comma, a quote or a bracket may be missing, or one too many");
  const std::string deep(100'000, '[');
  EXPECT_EQ(refusal("{\"hosts\": " + deep), "arrays and objects lie more than 100 deep in one another");
  EXPECT_EQ(refusal("{\"hosts\": " + deep + std::string(deep.size(), ']') + "}"),
            "arrays and objects lie more than 100 deep in one another");
  EXPECT_EQ(refusal(R"({"print-spec": true})"), "\"print-spec\": of a command line, and no part of a job");
  EXPECT_EQ(refusal(R"({"help": true})"), "\"help\": of a command line, and no part of a job");
  EXPECT_EQ(refusal(R"({"version": true})"), "\"version\": of a command line, and no part of a job");
  EXPECT_EQ(refusal(R"({"hosts": {"a": {}}})"),
            "hosts: wanted a text, a number, a list of texts, true or false");
  EXPECT_EQ(refusal(R"({"program": "x"})"), "\"program\": wanted a list of texts");
  EXPECT_EQ(refusal(R"({"program": [1]})"), "\"program\": wanted a text");
  EXPECT_EQ(refusal(R"({"program": ["x\u0000y"]})"), "\"program\": has a NUL byte");
  EXPECT_EQ(refusal(R"({"roles": {}})"), "roles: wanted a list of roles");
  EXPECT_EQ(refusal(R"({"roles": []})"), "roles: wanted a list of roles");
  EXPECT_EQ(refusal(R"({"roles": [3]})"), "roles[0]: wanted a JSON object");
  EXPECT_EQ(refusal(R"({"roles": [{"name": "1"}]})"),
            "roles[0]: name: wanted one of letters, digits, - and _, a letter first");
  EXPECT_EQ(refusal(R"({"roles": [{"name": "a", "count": 1}]})"), "roles[0] (a): program: wanted one");
  EXPECT_EQ(refusal(R"({"roles": [{"name": "a", "count": 1, "program": ["x"]},
                                  {"name": "a", "count": 1, "program": ["x"]}]})"),
            "roles[1] (a): a second role of this name");
  EXPECT_EQ(refusal(R"({"roles": [{"name": "a", "hosts": "n", "program": ["x"]},
                                  {"name": "b", "count": 1, "program": ["x"]}]})"),
            "roles: all of them have hosts, or none");
  EXPECT_EQ(refusal(R"({"hosts": "m", "roles": [{"name": "a", "hosts": "n", "program": ["x"]}]})"),
            "hosts: not beside those of roles");
}

TEST_F(SpecFileTest, NamesWhatIsWrongWithARole) {
  EXPECT_EQ(refusal_of_role(R"("count": 0)"), "roles[0]: count: wanted 1 to 1048576 ranks in all");
  EXPECT_EQ(refusal_of_role(R"("count": -1)"), "roles[0]: \"count\": wanted a number of at most 1048576");
  EXPECT_EQ(refusal_of_role(R"("count": 1e9)"), "roles[0]: \"count\": wanted a number of at most 1048576");
  EXPECT_EQ(refusal_of_role(R"("ranks": "3-1")"),
            "roles[0]: ranks: \"3-1\": wanted ranks such as 0,3 or 0-7,12");
  EXPECT_EQ(refusal_of_role(R"("ranks": 3)"), "roles[0]: \"ranks\": wanted a text");
  EXPECT_EQ(refusal_of_role(R"("env": ["A"])"), "roles[0]: env: \"A\": wanted NAME=VALUE");
  EXPECT_EQ(refusal_of_role(R"("env": ["A B=1"])"), "roles[0]: env: \"A B=1\": wanted NAME=VALUE");
  EXPECT_EQ(refusal_of_role(R"("background": 1)"), "roles[0]: \"background\": wanted true or false");
  EXPECT_EQ(refusal_of_role(R"("restart": 1)"), "roles[0]: \"restart\": no key of a role");
}

TEST_F(SpecFileTest, IsWrittenWithWhatWasGiven) {
  CLI::App launch;
  std::string hosts;
  Texts env;
  bool quiet = false;
  std::string spec;
  launch.add_option("-H,--hosts", hosts);
  launch.add_option("--env", env);
  launch.add_flag("-q,--quiet", quiet);
  launch.add_option("--spec", spec);
  launch.add_option("--name", spec);
  int verbose = 0;
  launch.add_flag("-v,--verbose", verbose);
  launch.parse(R"(--spec f -H a:2 --env A=1 --env B=2 -q -vv)");
  EXPECT_EQ(spec_text(launch, {}, {"x", "\x1b"}), R"({
  "$schema": "file:///usr/share/doc/adarun/docs/spec.schema.json",
  "hosts": "a:2",
  "env": [
    "A=1",
    "B=2"
  ],
  "quiet": true,
  "verbose": [
    "true",
    "true"
  ],
  "program": [
    "x",
    "\u001b"
  ]
}
)");
}

TEST_F(SpecFileTest, CanBeReadAsItIsWritten) {
  const SpecFile spec = read(R"({"roles": [
    {"name": "a", "ranks": "0-1,3", "program": ["x"], "background": true, "restarts": 3},
    {"name": "b", "count": 2, "program": ["y"], "env": ["A=1"], "workdir": "w", "optional": true}]})");
  const CLI::App launch;
  const std::string text = spec_text(launch, spec.roles, {});
  EXPECT_EQ(spec_text(launch, read(text).roles, {}), text);
  EXPECT_NE(text.find(R"("ranks": "4-5")"), std::string::npos) << text;
}

}  // namespace
}  // namespace adarun::cli
