// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launcher/hosts/job_hosts.h"

namespace adarun::launcher {

/// A remote command with a name of its own.
struct CommandPreset {
  const char* name;
  const char* line;   ///< For parse_remote_command().
  const char* reach;  ///< What it reaches, in a few words.
  /// A variable that is set in the jobs of its batch system; null: it has none.
  const char* job_variable = nullptr;
  JobHosts (*job_hosts)(const Variable&) = nullptr;  ///< Those of such a job; null: no variable has them.
  const char* hostlist = nullptr;                    ///< The command that prints them; null: none.
  bool reads_ssh_config = false;                     ///< Names of nodes may be those of ~/.ssh/config.
};

/// All of them, in the order in which they are shown.
std::span<const CommandPreset> command_presets();

/// The one of this name; null: there is none.
const CommandPreset* command_preset(std::string_view name);

/// A table for people: name, what it reaches, and below it the line.
std::string presets_text();

}  // namespace adarun::launcher
