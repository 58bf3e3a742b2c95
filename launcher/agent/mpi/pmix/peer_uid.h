// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

namespace adarun::launcher::agent {

/// Whose the process is that made the other end of `socket`, a TCP connection that both ends have on this
/// machine, in this network: as the kernel has it, whatever the process says. Nothing where that is not to be
/// told: the other end is closed already, is elsewhere, or the kernel tells neither by netlink nor in
/// /proc/net.
std::optional<uid_t> peer_uid(int socket);

}  // namespace adarun::launcher::agent
