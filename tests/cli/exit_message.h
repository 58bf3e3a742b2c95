// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cli/arguments/command.h"

namespace adarun::cli {

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
