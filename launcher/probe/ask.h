// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/probe/probe_all.h"

namespace adarun::launcher {

/// Called whenever a node has connected, is done or has failed.
using ShowProgress = std::function<void(const SurveyProgress&)>;

/// Holds all interviews at once over `transport`, `interviews[i]` with node i, and gives why each node
/// failed: one line without its name; empty where its interview came to its end. Every wait has a deadline.
/// The agents are told to end.
std::vector<std::string> ask(Transport& transport, const std::vector<Interview*>& interviews,
                             const ShowProgress& show);

}  // namespace adarun::launcher
