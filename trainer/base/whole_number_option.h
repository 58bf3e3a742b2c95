// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "trainer/base/whole_numbers.h"

namespace adarun::trainer {

/// An option that takes a whole number of `range`.
template <typename Value>
CLI::Option* add_whole_number(CLI::App& app, const std::string& option, Value& value,
                              const WholeNumbers& range, const std::string& description = "") {
  return app.add_option(option, value, description)->transform(CLI::Validator(range, range.description()));
}

}  // namespace adarun::trainer
