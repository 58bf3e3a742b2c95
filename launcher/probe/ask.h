// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/probe/probe_session.h"

namespace adarun::launcher {

/// Called whenever a node has connected, is done or has failed.
using ShowProgress = std::function<void(const ProbeProgress&)>;

/// Holds all probes at once over `transport`, `probes[i]` with node i, and gives why each node
/// failed: one line without its name; empty where its probe came to its end. Every wait has a deadline.
/// The agents are told to end.
std::vector<std::string> ask(Transport& transport, const std::vector<NodeProbe*>& probes,
                             const ShowProgress& show);

}  // namespace adarun::launcher
