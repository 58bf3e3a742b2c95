// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// One SSH session per host, ReachOptions::fanout of them connecting at a time, and in each an agent that is
/// brought there if it is missing. The name of a host behind a jump host is resolved by the jump host, and is
/// its address here.
std::shared_ptr<const Reach> ssh_reach();

/// Looks up the names of hosts that are reached without SSH. `config_file` is an SSH configuration whose
/// names for hosts hold nevertheless; empty: the user's.
Targets locate_without_ssh(const std::vector<Host>& hosts, const std::string& config_file,
                           std::chrono::milliseconds deadline, Reach::Unknown unknown);

/// A configuration without names.
inline constexpr const char* no_ssh_config = "/dev/null";

}  // namespace adarun::launcher
