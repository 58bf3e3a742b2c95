// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

namespace adarun::launcher::agent {

/// The user id of the process that made the other end of `socket`, a TCP connection with both ends on this
/// machine, in this network namespace. It comes from the kernel, not from the process. Nothing if it cannot
/// be determined: the other end is closed or elsewhere, or the kernel offers it neither by netlink nor in
/// /proc/net.
std::optional<uid_t> peer_uid(int socket);

}  // namespace adarun::launcher::agent
