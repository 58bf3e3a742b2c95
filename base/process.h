// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace adarun::base {

/// When a process of this machine started, in kernel ticks since boot: with its pid, this identifies a
/// process uniquely. 0: no such process, or a zombie.
std::uint64_t start_ticks(pid_t pid);

/// Whether a process exists that /proc, mounted with hidepid, does not show: one of another user, or one that
/// the kernel does not let us inspect.
bool is_hidden(pid_t pid);

}  // namespace adarun::base
