// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace adarun::launcher::agent {

/// Gives this process precedence over the ranks, which may keep every CPU busy for hours: a niceness ten
/// below that of `watchdog`. Needs a privilege (root, CAP_SYS_NICE, RLIMIT_NICE); without it, changes
/// nothing.
void raise_priority(pid_t watchdog);

/// Takes the niceness of `watchdog`, which has that of the user. For a child, between fork and exec.
void take_priority_of(pid_t watchdog);

}  // namespace adarun::launcher::agent
