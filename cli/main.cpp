// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/command.h"
#include "cli/commands.h"

namespace adarun::cli {
namespace {

// CLI11 rewrites arguments behind "--" ("[1,2]" becomes two of them), so it never sees those.
std::vector<std::string> split_trailing(int argc, char** argv, Invocation& invocation) {
  std::vector<std::string> own;
  int i = 1;
  for (; i < argc && std::string_view(argv[i]) != "--"; ++i) own.emplace_back(argv[i]);
  invocation.has_trailing = i < argc;
  if (invocation.has_trailing) invocation.trailing.assign(argv + i + 1, argv + argc);
  return own;
}

int run(int argc, char** argv) {
  Invocation invocation;
  invocation.argv0 = argv[0];
  std::vector<std::string> arguments = split_trailing(argc, argv, invocation);
  CLI::App app("Rank tables, launching, logs, loss and AdaSum for training on many devices.", "adarun");
  app.set_version_flag("--version", "adarun " ADARUN_VERSION);
  app.require_subcommand(1);
  for (const AddCommand add : commands) add(app, invocation);
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& wrong) {
    app.exit(wrong);
    return exit_usage;
  }
  return invocation.exit_status;
}

}  // namespace
}  // namespace adarun::cli

int main(int argc, char** argv) {
  try {
    return adarun::cli::run(argc, argv);
  } catch (const adarun::cli::Quit& quit) {
    std::fprintf(stderr, "adarun: %s\n", quit.what());
    return quit.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "adarun: %s\n", error.what());
    return adarun::cli::exit_failed;
  }
}
