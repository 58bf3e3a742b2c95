// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/wrong_usage.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace adarun::cli {
namespace {

// The message for a command line, whose words are separated by spaces; "taken" if nothing is wrong with it.
std::string said_of(const std::string& line) {
  CLI::App app("", "adarun");
  app.require_subcommand(1);
  app.fallthrough();
  std::string text;
  int number = 0;
  bool flag = false;
  app.add_option("--color", text);
  app.add_flag("-v,--verbose", flag);
  CLI::App& launch = *app.add_subcommand("launch");
  launch.add_option("--hosts", text);
  launch.add_option("--lines", number);
  launch.add_option("-x,--exclude", text)->needs("--hosts");
  app.add_subcommand("train");
  app.add_subcommand("prune")->add_flag("--yes", flag);
  app.add_subcommand("stop");
  CLI::App& tables = *app.add_subcommand("ranktable", "All about tables");
  tables.require_subcommand(1);
  tables.add_subcommand("gen")->add_option("FILE", text)->required();
  tables.add_subcommand("merge");
  std::istringstream words(line);
  const std::vector<std::string> arguments(std::istream_iterator<std::string>{words}, {});
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& wrong) {
    return wrong_usage(app, wrong, arguments);
  }
  return "taken";
}

TEST(WrongUsage, IsToldInOneLineWithTheWordAndTheMend) {
  const struct {
    const char* line;
    const char* said;
  } cases[] = {
      {"lauch --hosts a", "\"lauch\": adarun has no such command; did you mean launch? (adarun --help)"},
      {"start", "\"start\": adarun has no such command (adarun --help)"},
      {"validate t.json",
       "\"validate\": adarun has no such command; did you mean ranktable validate? (adarun --help)"},
      {"kill run7", "\"kill\": adarun has no such command; did you mean stop? (adarun --help)"},
      {"ranktable get",
       "\"get\": ranktable has no such command; did you mean gen? (adarun ranktable --help)"},
      {"-np 4 ./x", "-np: adarun has no such option; did you mean adarun launch -np? (adarun --help)"},
      {"--lines 4",
       "--lines: adarun has no such option; did you mean adarun launch --lines? (adarun --help)"},
      {"launch -xcolor",
       "--exclude requires --hosts; a variable is passed on by --env NAME (adarun launch --help)"},
      {"launch -verbose",
       "-verbose: launch has no such option; did you mean --verbose? (adarun launch --help)"},
      {"prune -y", "-y: prune has no such option; did you mean --yes? (adarun prune --help)"},
      {"launch -l 3", "-l: launch has no such option; did you mean --lines? (adarun launch --help)"},
      {"launch -k",
       "-k: launch has no such option; those of the program go behind -- (adarun launch --help)"},
      {"prune -f", "-f: prune has no such option; did you mean --yes? (adarun prune --help)"},
      {"--colour x launch",
       "--colour: launch has no such option; did you mean --color? (adarun launch --help)"},
      {"ranktable gne",
       "\"gne\": ranktable has no such command; did you mean gen? (adarun ranktable --help)"},
      {"launch --host=a", "--host: launch has no such option; did you mean --hosts? (adarun launch --help)"},
      {"train a --colr x", "\"a\": the program and its arguments go behind -- (adarun train --help)"},
      {"launch --colr x", "--colr: launch has no such option; did you mean --color? (adarun launch --help)"},
      {"launch --epochs 3",
       "--epochs: launch has no such option; those of the program go behind -- (adarun launch --help)"},
      {"launch --hosts", "--hosts: wanted a value behind it (adarun launch --help)"},
      {"launch --hosts a --hosts b", "--hosts: given more than once (adarun launch --help)"},
      {"launch --lines many", "--lines: \"many\": wanted a number (adarun launch --help)"},
      {"launch -x PATH",
       "--exclude requires --hosts; a variable is passed on by --env NAME (adarun launch --help)"},
      {"ranktable merge x", "\"x\": one word too many for merge (adarun ranktable merge --help)"},
      {"ranktable gen", "FILE is required (adarun ranktable gen --help)"},
  };
  for (const auto& each : cases)
    EXPECT_EQ(said_of(each.line), std::string("adarun: ") + each.said + "\n") << each.line;
  EXPECT_EQ(said_of("launch --hosts a --color never"), "taken");
}

TEST(WrongUsage, GivesTheHelpWhereTheCommandIsMissing) {
  const std::string help = said_of("ranktable");
  EXPECT_NE(help.find("All about tables"), std::string::npos) << help;
  EXPECT_NE(help.find("merge"), std::string::npos) << help;
}

}  // namespace
}  // namespace adarun::cli
