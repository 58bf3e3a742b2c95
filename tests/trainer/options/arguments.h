// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/trainer/refusal.h"
#include "trainer/options/parse.h"

namespace adarun::trainer::testing_data {

inline std::optional<TrainerOptions> parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"adarun-trainer"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  LogOptions log;
  return parse_options(static_cast<int>(argv.size()), argv.data(), log);
}

/// The message that refuses `arguments`; it must have `status`.
inline std::string refusal(Exit status, const std::vector<std::string>& arguments) {
  return refusal(status, [&] { parse(arguments); });
}

}  // namespace adarun::trainer::testing_data
