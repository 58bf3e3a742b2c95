// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

// Default values of options, and values that launcher and agent must agree on. No other file repeats one of
// these numbers. The functions say how the times of launcher and agent after a silence fit together.

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

/// How the line ends that an agent's watchdog prints on stderr, after it has ended what an agent has left
/// that was killed.
inline constexpr std::string_view all_is_ended = "all its processes are ended";

/// How much sooner than the launcher's the lease of an agent is over, where its ranks may be started
/// elsewhere.
constexpr std::chrono::milliseconds agent_lead(std::chrono::milliseconds lease) {
  return lease / 10;
}

/// How long the launcher bears with an agent that does not answer on a node that acknowledges what it is
/// sent, and such an agent with the launcher. Ranks that poll have kept processes from running for 47 s.
constexpr std::chrono::milliseconds busy_limit(std::chrono::milliseconds lease) {
  return 6 * lease;
}

/// How often the launcher gives a sign of life: twenty times in a lease, and once in two seconds at least.
constexpr std::chrono::milliseconds ping_interval(std::chrono::milliseconds lease) {
  constexpr int per_lease = 20;
  constexpr std::chrono::milliseconds longest{2'000};
  return std::min(lease / per_lease, longest);
}

/// After system sleep, an agent and its watchdog wake together: this gives the agent time to send a beat.
inline constexpr std::chrono::milliseconds second_look{400};

/// How long what a node runs may continue after its agent has heard the launcher for the last time, or was
/// stopped.
constexpr std::chrono::milliseconds runs_on_unheard(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds until_killed{300};
  return lease - agent_lead(lease) + second_look + until_killed;
}

/// The same after the launcher has lost it for a silence of a whole lease; 0.7 s at most. What the agent
/// heard last may be later than what it answered last, by the interval of pings.
constexpr std::chrono::milliseconds runs_on_after_silence(std::chrono::milliseconds lease) {
  return std::max(std::chrono::milliseconds{0}, ping_interval(lease) + runs_on_unheard(lease) - lease);
}

}  // namespace adarun::launcher
