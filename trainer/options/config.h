// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

/// Options from files and presets: a JSON object whose keys are the options' names without their dashes.
namespace adarun::trainer::options {

/// The presets' names.
std::vector<std::string> preset_names();

/// Declares --preset, --config and --print-config, for expanded() and config_text().
void add_config(CLI::App& app);

/// `arguments`, preceded by the options of their --preset and --config. So the command line overrides the
/// file, and the file overrides the preset. Throws Error (usage) if there is no such preset, if the file is
/// not a JSON object, or if it names an option that `app` does not have; Error if it cannot be read.
std::vector<std::string> expanded(const CLI::App& app, const std::vector<std::string>& arguments);

/// The names of those options that `arguments` and their --config give, not their preset. Throws as above.
std::set<std::string> given_beside_preset(const CLI::App& app, const std::vector<std::string>& arguments);

/// All options of `app` that have a value, after parsing, in the format of --config.
std::string config_text(const CLI::App& app);

}  // namespace adarun::trainer::options
