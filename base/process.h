// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace adarun::base {

/// When a process of this machine started, in the kernel's ticks since boot: with its pid, it names a process
/// for good. 0 where there is none.
std::uint64_t start_ticks(pid_t pid);

/// Whether there is a process of this number that /proc does not show: one of another user, or one that the
/// kernel keeps from being looked into, where /proc is mounted with hidepid.
bool is_hidden(pid_t pid);

}  // namespace adarun::base
