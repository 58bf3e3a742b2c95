// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace adarun::launcher {

/// A remote command with a name of its own.
struct CommandPreset {
  const char* name;
  const char* line;   ///< For parse_remote_command().
  const char* reach;  ///< What it reaches, in a few words.
};

/// All of them, in the order in which they are shown.
std::span<const CommandPreset> command_presets();

/// The one of this name; null: there is none.
const CommandPreset* command_preset(std::string_view name);

/// A table for people: name, what it reaches, and below it the line.
std::string presets_text();

}  // namespace adarun::launcher
