// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/resumption.h"

namespace adarun::launcher {

// Why a node is lost, for LinkLost: one line for the user, without the node's name.

/// The link has ended: what it knows of that, and what the node printed where it is no agent that answered.
std::string ended_reason(Link& link, const protocol::FrameReader& reader);

/// The link has not opened in time.
std::string unconnected_reason(Link& link, std::chrono::milliseconds timeout);

/// The link has opened, but the agent has not said Hello in time.
std::string unanswered_reason(Link& link, const protocol::FrameReader& reader,
                              std::chrono::milliseconds timeout);

/// The agent was not heard for a lease. `link`: null where it is gone and no other one was found.
std::string silent_reason(const Link* link, const Resumption& resumption, std::chrono::milliseconds lease);

}  // namespace adarun::launcher
