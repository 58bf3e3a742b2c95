// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launcher/transport/reach/reach.h"

namespace adarun::launcher {

/// An agent for each host on this machine, whatever the hosts are called; all have the address 127.0.0.1.
std::shared_ptr<const Reach> local_reach();

}  // namespace adarun::launcher
