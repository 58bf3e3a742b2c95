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

/// A command line with the options of its --preset and --config.
struct ExpandedArguments {
  std::vector<std::string> all;
  std::set<std::string> beside_preset;  ///< The names of the options that are not only the preset's.
};

/// `arguments`, preceded by the options of their --preset and --config. So the command line overrides the
/// file, and the file overrides the preset. Throws Error (usage) if there is no such preset, if the file is
/// a directory or not a JSON object, or if it names an option that `app` does not have; Error if it cannot be
/// read.
ExpandedArguments expanded(const CLI::App& app, const std::vector<std::string>& arguments);

/// All options of `app` that have a value, after parsing, in the format of --config, below "$schema".
std::string config_text(const CLI::App& app);

/// The same but for options that may differ from node to node: a line each, `"lr": 0.1`.
std::string text_for_all_nodes(const CLI::App& app);

}  // namespace adarun::trainer::options
