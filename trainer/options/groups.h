// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainer/base/whole_number_option.h"
#include "trainer/options/options.h"

/// The command line options, group by group as in --help. `options` must outlive the app.
namespace adarun::trainer::options {

void add_job(CLI::App& app, TrainerOptions& options);
void add_data(CLI::App& app, TrainerOptions& options);
void add_learning(CLI::App& app, TrainerOptions& options);
void add_schedule(CLI::App& app, TrainerOptions& options);
void add_reduce(CLI::App& app, TrainerOptions& options);
void add_checkpoint(CLI::App& app, TrainerOptions& options);

/// The number from 0 on in `text`; nothing if it is another text, nan among them.
std::optional<double> plain_number(const std::string& text);

/// Whether an option is a number from `low` to `high`.
CLI::Validator number_in(double low, double high);

/// A number from `low` to `high`.
template <typename Value>
CLI::Option* add_number(CLI::App& app, const std::string& option, Value& value, double low, double high,
                        const std::string& description) {
  return app.add_option(option, value, description)->check(number_in(low, high))->capture_default_str();
}

/// A choice among names. CLI11's own transformer would also accept the enumerators' numbers.
template <typename Value, typename Target>
CLI::Option* add_choice(CLI::App& app, const std::string& option, Target& target,
                        const std::map<std::string, Value>& names, const std::string& description) {
  std::vector<std::string> keys;
  for (const auto& [name, unused] : names) keys.push_back(name);
  return app
      .add_option_function<std::string>(
          option, [&target, names](const std::string& name) { target = names.at(name); }, description)
      ->check(CLI::IsMember(keys));
}

}  // namespace adarun::trainer::options
