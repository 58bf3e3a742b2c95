// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/probe/probe_session.h"

namespace adarun::launcher {

/// Called when a node has connected, is done or has failed.
using ShowProgress = std::function<void(const ProbeProgress&)>;

/// Runs all probes in parallel over `transport`, `probes[i]` on node i, and returns for each node why it
/// failed: one line without its name, empty if its probe completed. Every wait has a deadline. The agents are
/// told to exit.
std::vector<std::string> ask(Transport& transport, const std::vector<NodeProbe*>& probes,
                             const ShowProgress& show);

}  // namespace adarun::launcher
