// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/command/remote_command.h"

#include <gtest/gtest.h>

#include <cstring>

#include "launcher/transport/command/command_reach.h"
#include "tests/launcher/error_of.h"

namespace adarun::launcher {
namespace {

using Words = std::vector<std::string>;

const Words agent_program{"/bin/sh", "-c", "it's", "x"};
constexpr const char* quoted_agent_program = R"('/bin/sh' '-c' 'it'\''s' 'x')";

const char* job_variable(const char* name) {
  return std::strcmp(name, "PBS_JOBID") == 0 ? "7.server" : nullptr;
}

RemoteCommand parsed(const std::string& line) {
  return parse_remote_command("exec", line, job_variable);
}

Words expanded(const std::string& line, const CommandTarget& target) {
  return words_of(parsed(line), target, agent_program);
}

TEST(RemoteCommand, HasTheProgramAsWordsAtItsEnd) {
  EXPECT_EQ(expanded("ip netns exec {host}", {"node1"}),
            (Words{"ip", "netns", "exec", "node1", "/bin/sh", "-c", "it's", "x"}));
}

TEST(RemoteCommand, HasTheProgramAsOneQuotedTextWhereItSaysSo) {
  EXPECT_EQ(expanded("ssh -T {host} exec {command}", {"node1"}),
            (Words{"ssh", "-T", "node1", "exec", quoted_agent_program}));
  EXPECT_EQ(expanded("ssh gate 'docker exec -i {host} {command}'", {"c1"}),
            (Words{"ssh", "gate", std::string("docker exec -i c1 ") + quoted_agent_program}));
}

TEST(RemoteCommand, LeavesWordsOutForWhichANodeHasNoValue) {
  const std::string line = "on -l{user} -p{port} -i{identity} -F{ssh-config} -o{host-key} {host}";
  EXPECT_EQ(words_of(parsed(line), {"node1"}, {}), (Words{"on", "node1"}));
  EXPECT_EQ(words_of(parsed(line), {"node1", "ada", 2222, "/k e y", "conf", "accept-new"}, {}),
            (Words{"on", "-lada", "-p2222", "-i/k e y", "-Fconf", "-oaccept-new", "node1"}));
}

TEST(RemoteCommand, LeavesNoHostAndNoProgramOut) {
  for (const char* line : {"on {user}@{host}", "on {host} '-l{user} {command}'"}) {
    EXPECT_THROW(expanded(line, {"node1"}), Error) << line;
    EXPECT_NO_THROW(expanded(line, {"node1", "ada"})) << line;
  }
}

TEST(RemoteCommand, TakesVariablesOfTheEnvironment) {
  EXPECT_EQ(words_of(parsed("on {host} -j{PBS_JOBID}"), {"n"}, {}), (Words{"on", "n", "-j7.server"}));
}

TEST(RemoteCommand, KeepsBracesThatAreNoPlaceholder) {
  EXPECT_EQ(words_of(parsed("on {host} {} {{x.y}} {a b} { } {"), {"n"}, {}),
            (Words{"on", "n", "{}", "{{x.y}}", "{a", "b}", "{", "}", "{"}));
}

TEST(RemoteCommand, ReadsAValueOnce) {
  EXPECT_EQ(words_of(parsed("on {host} {identity}"), {"n", "", 0, "{user}"}, {}),
            (Words{"on", "n", "{user}"}));
}

TEST(RemoteCommand, RefusesLinesThatReachNoNode) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "wanted a command, such as: ip netns exec {host}"},
      {"''", "wanted a command, such as: ip netns exec {host}"},
      {"run {pod} {host}",
       "{pod}: wanted {host} {user} {port} {identity} {ssh-config} {host-key} {command}, or a variable such "
       "as {HOME}"},
      {"run {NOT_SET} {host}", "{NOT_SET}: this variable is not set"},
      {"run there", "{host} is nowhere in it: every node would be the same"},
      {"{host} run",
       "\"{host}\": wanted a program of this machine, without {placeholders}, as the first word"},
      {"sudo ssh {host}",
       "ssh hands its words to a shell: write {command} where the program is to stand, as in: ssh -T {host} "
       "exec "
       "{command}"},
      {"/usr/bin/ssh -T {host}",
       "/usr/bin/ssh hands its words to a shell: write {command} where the program is to stand, as in: ssh "
       "-T {host} "
       "exec {command}"},
      {"run '{host}", "a ' is not closed"},
  };
  for (const auto& each : cases) EXPECT_EQ(error_of([&] { parsed(each.first); }), each.second) << each.first;
}

TEST(RemoteCommand, RefusesHostsAndUsersThatAreNoPlainNames) {
  for (const char* name : {"-oProxyCommand=sh", "--help", "a b", "a;b", "$(id)", "a'b", "a\nb", "../x", ""})
    EXPECT_THROW(expanded("on {host}", {name}), Error) << name;
  for (const char* user : {"-x", "a b", "a;b"})
    EXPECT_THROW(expanded("on {host} {user}", {"node1", user}), Error) << user;
  EXPECT_EQ(expanded("on {host}", {"fe80::1%eth0"})[1], "fe80::1%eth0");
}

TEST(RemoteCommand, IsShownWithoutTheProgram) {
  EXPECT_EQ(text_of(parsed("ip netns exec {host}"), {"node1"}), "ip netns exec node1");
  EXPECT_EQ(text_of(parsed("ssh 'a b' {host} exec {command}"), {"node1"}), "ssh 'a b' node1 exec ...");
}

TEST(CommandPresets, AreLinesAsAUserCouldWriteThem) {
  const std::pair<const char*, Words> cases[] = {
      {"kubectl", {"kubectl", "exec", "-i", "pod-0", "--", "/bin/sh", "-c", "it's", "x"}},
      {"docker", {"docker", "exec", "-i", "pod-0", "/bin/sh", "-c", "it's", "x"}},
      {"podman", {"podman", "exec", "-i", "pod-0", "/bin/sh", "-c", "it's", "x"}},
      {"openssh", {"ssh", "-T", "-oBatchMode=yes", "--", "pod-0", "exec", quoted_agent_program}},
      {"pbs",
       {"ssh", "-T", "-oBatchMode=yes", "--", "pod-0", "exec", "pbs_attach", "-j", "'7.server'",
        quoted_agent_program}},
      {"lsf", {"blaunch", "pod-0", "-no-shell", "/bin/sh", "-c", "it's", "x"}},
      {"flux",
       {"flux", "run", "-N1", "-n1", "--unbuffered", "-o", "cpu-affinity=off", "-o", "gpu-affinity=off",
        "--requires=host:pod-0", "/bin/sh", "-c", "it's", "x"}},
  };
  ASSERT_EQ(std::size(cases), command_presets().size());
  for (const auto& [name, words] : cases) {
    const CommandPreset* preset = command_preset(name);
    ASSERT_NE(preset, nullptr) << name;
    EXPECT_EQ(expanded(preset->line, {"pod-0"}), words) << name;
    EXPECT_NE(presets_text().find(std::string(name) + ": "), std::string::npos) << name;
  }
  EXPECT_EQ(command_preset("slurm"), nullptr);
}

TEST(SplitWords, FollowsTheQuotesOfAShell) {
  const struct {
    const char* line;
    Words words;
  } cases[] = {
      {"", {}},
      {" \t\r\n ", {}},
      {"ip netns exec {host}", {"ip", "netns", "exec", "{host}"}},
      {"  a \t b\n", {"a", "b"}},
      {"'a b' \"c d\"", {"a b", "c d"}},
      {"a'b c'd\"e f\"g", {"ab cde fg"}},
      {"'' \"\" x", {"", "", "x"}},
      {R"('a\b' "a\b" a\b)", {R"(a\b)", R"(a\b)", "ab"}},
      {R"("say \"\\\"" \" \' a\ b)", {R"(say "\")", "\"", "'", "a b"}},
      {R"('it'\''s')", {"it's"}},
      {"'\"' \"'\"", {"\"", "'"}},
  };
  for (const auto& each : cases) EXPECT_EQ(split_words(each.line), each.words) << each.line;
}

TEST(SplitWords, KnowsNothingElseOfAShell) {
  const char* line = "$HOME ${HOME} `id` $(id) a|b a;b a&&b >x <y * ~ ? #c !d";
  EXPECT_EQ(split_words(line), (Words{"$HOME", "${HOME}", "`id`", "$(id)", "a|b", "a;b", "a&&b", ">x", "<y",
                                      "*", "~", "?", "#c", "!d"}));
}

TEST(SplitWords, RefusesWhatDoesNotEnd) {
  const std::pair<const char*, const char*> cases[] = {
      {"a 'b", "a ' is not closed"},
      {"a \"b", "a \" is not closed"},
      {R"("b\")", "a \" is not closed"},
      {"a\\", "nothing follows its last backslash"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(error_of([&] { split_words(each.first); }), each.second) << each.first;
}

}  // namespace
}  // namespace adarun::launcher
