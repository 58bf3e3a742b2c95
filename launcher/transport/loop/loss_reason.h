// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "launcher/protocol/frame.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/reconnector.h"

namespace adarun::launcher {

// Why a node is lost, for LinkLost: one line for the user, without the node's name.

/// The link has ended: its status, and what the node printed if it was no agent that answered.
std::string ended_reason(Link& link, const protocol::FrameReader& reader);

/// The link did not open in time.
std::string unconnected_reason(Link& link, std::chrono::milliseconds timeout);

/// The link is open, but the agent did not send Hello in time.
std::string unanswered_reason(Link& link, const protocol::FrameReader& reader,
                              std::chrono::milliseconds timeout);

/// What came is no message of an agent: `found` says what it is.
std::string garbage_reason(Link* link, const std::string& found);

/// Nothing was received from the agent for a lease. `link`: null if it is gone and no other one was found.
std::string silent_reason(const Link* link, const Resumption& resumption, std::chrono::milliseconds lease);

/// Nothing was received from the agent for `limit`, though its node acknowledges what it is sent; and the
/// notice of that after a silence of `silence`, for LinkCut.
std::string busy_reason(std::chrono::milliseconds limit);
std::string busy_text(std::chrono::milliseconds silence, std::chrono::milliseconds limit);

}  // namespace adarun::launcher
