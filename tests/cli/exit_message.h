// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/arguments/command.h"

namespace adarun::cli {

/// The message with which `run` quits for wrong usage; empty if it does not quit.
template <typename Run>
std::string exit_message(Run run) {
  try {
    run();
  } catch (const ExitError& quit) {
    EXPECT_EQ(quit.status(), exit_usage);
    return quit.what();
  }
  return "";
}

}  // namespace adarun::cli
