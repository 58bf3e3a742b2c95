// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace adarun::cli {

/// What CLI11 says of `words` on the command line of a program whose options `add(CLI::App&)` makes; empty
/// where they are taken.
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

}  // namespace adarun::cli
