// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "trainer/base/error.h"
#include "trainer/options/parse.h"

namespace adarun::trainer::testing_data {

inline std::optional<TrainerOptions> parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"adarun-trainer"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

/// The message that refuses `arguments`; it must have `status`.
inline std::string refusal(Exit status, const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace adarun::trainer::testing_data
