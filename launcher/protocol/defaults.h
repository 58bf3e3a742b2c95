// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

// Default values of options, and values that launcher and agent must agree on. No other file repeats one of
// these numbers.

namespace adarun::launcher {

/// Silence after which launcher and agent consider each other lost: --lease.
inline constexpr std::chrono::milliseconds default_lease{10'000};

/// Grace period between TERM and KILL on a node: --grace.
inline constexpr std::chrono::milliseconds default_grace{5'000};

/// Time limit from the start of a connection to the agent's Hello: --connect-timeout.
inline constexpr std::chrono::milliseconds default_connect_timeout{20'000};

/// Folder of a job's logs and files: --log-dir.
inline constexpr const char* default_log_dir = "log_output";

/// How many nodes connect at once: --fanout.
inline constexpr int default_fanout = 64;

/// The size of an agent's spool file, while the launcher is unreachable, beyond which ranks' output is not
/// read.
inline constexpr std::uint64_t most_spooled_bytes = 1U << 30U;

/// Silence after which a connection counts as cut, and a new one is made: half the lease, at most 10 s.
constexpr std::chrono::milliseconds silence_of_cut(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds longest{10'000};
  return std::min(lease / 2, longest);
}

/// A time as a field of a message.
constexpr std::uint32_t in_ms(std::chrono::milliseconds time) {
  return static_cast<std::uint32_t>(time.count());
}

}  // namespace adarun::launcher
