// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/command.h"

namespace adarun::cli {

/// CLI11's error for `words` on the command line of a program whose options `add(CLI::App&)` makes; empty if
/// they are accepted.
template <typename Add>
std::string refusal_of(Add add, const std::vector<std::string>& words) {
  CLI::App app;
  add(app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& wrong) {
    return wrong.what();
  }
  return {};
}

/// The exit status and the message of the ExitError that `run` throws; 0 and "" if it throws none.
template <typename Run>
std::pair<int, std::string> exit_of(Run run) {
  try {
    run();
  } catch (const ExitError& error) {
    return {error.status(), error.what()};
  }
  return {exit_done, ""};
}

/// The message with which `run` ends for wrong usage; "" if it throws no ExitError.
template <typename Run>
std::string exit_message(Run run) {
  const auto [status, message] = exit_of(run);
  EXPECT_TRUE(message.empty() || status == exit_usage) << status;
  return message;
}

}  // namespace adarun::cli
