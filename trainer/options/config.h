// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// Options from files and presets: a JSON object whose keys are the options' names without their dashes.
namespace adarun::trainer::options {

/// The presets' names.
std::vector<std::string> preset_names();

/// Declares --preset, --config and --print-config, which expanded() and print_config() are about.
void add_config(CLI::App& app);

/// `arguments` with what their --preset and --config say before them, so that the command line has the last
/// word, and the file before the preset. Throws Error (usage) where there is no such preset, the file is no
/// JSON object, or names an option that `app` does not have; Error where it cannot be read.
std::vector<std::string> expanded(const CLI::App& app, const std::vector<std::string>& arguments);

/// All options of `app`, parsed, as --config reads them: those that have a value.
std::string config_text(const CLI::App& app);

}  // namespace adarun::trainer::options
