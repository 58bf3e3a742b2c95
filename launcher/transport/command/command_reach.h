// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launcher/transport/command/command_presets.h"
#include "launcher/transport/command/remote_command.h"
#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// `command` once per host, ReachOptions::fanout of them starting at a time, and by each an agent that is
/// brought there if it is missing. `preset` is the one that the command is of; null: the user's own words.
/// The name of a host is its address where it cannot be resolved here: the other nodes may know it.
std::shared_ptr<const Reach> command_reach(RemoteCommand command, const CommandPreset* preset = nullptr);

}  // namespace adarun::launcher
