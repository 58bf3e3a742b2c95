// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
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

/// The message with which `run` ends for wrong usage; empty if it throws no ExitError.
template <typename Run>
std::string exit_message(Run run) {
  try {
    run();
  } catch (const ExitError& error) {
    EXPECT_EQ(error.status(), exit_usage);
    return error.what();
  }
  return "";
}

}  // namespace adarun::cli
