// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "launcher/hosts/job_hosts.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/reach/reach.h"

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

/// `command` once per host, ReachOptions::fanout of them starting at a time, and by each an agent that is
/// brought there if it is missing. `preset` is the one that the command is of; null: the user's own words.
/// The name of a host is its address where it cannot be resolved here: the other nodes may know it.
std::shared_ptr<const Reach> command_reach(RemoteCommand command, const CommandPreset* preset = nullptr);

}  // namespace adarun::launcher
