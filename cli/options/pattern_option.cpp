// SPDX-License-Identifier: Apache-2.0
#include "cli/options/pattern_option.h"

#include <CLI/CLI.hpp>

#include "monitor/base/error.h"

namespace adarun::cli {
namespace {

// What is wrong with it; empty where it is good.
std::string complaint_about(const std::string& pattern) {
  try {
    const monitor::LinePattern checked(pattern);
    return {};
  } catch (const monitor::Error& error) {
    return error.what();
  }
}

}  // namespace

void add_pattern_option(CLI::App& command, std::vector<std::string>& patterns) {
  command
      .add_option(
          "--pattern", patterns,
          "Also read lines that match this regular expression, which names what it finds: (?<loss>...), "
          "epoch, epochs, step, steps, time (of a step, ms), lr, throughput, accuracy")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->check(complaint_about);
}

std::vector<monitor::LinePattern> line_patterns(const std::vector<std::string>& patterns) {
  return {patterns.begin(), patterns.end()};
}

}  // namespace adarun::cli
