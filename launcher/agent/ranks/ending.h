// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace adarun::launcher::agent {

/// Whether a child that has not been reaped is ending already: it exits, or a signal that cannot be undone
/// has reached it (man 5 proc: the flags of stat, and the pending signals of status). False if /proc does not
/// tell.
bool is_ending(pid_t pid);

}  // namespace adarun::launcher::agent
