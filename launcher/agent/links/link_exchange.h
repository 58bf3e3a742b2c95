// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// What is measured over one connection between two nodes.
enum class LinkExchange : char {
  echo = 'e',     ///< The asking node sends single bytes, which come back.
  send = 's',     ///< It sends; the other one counts, and reports.
  receive = 'r',  ///< The other way round; it counts.
};

/// How long a rate is measured; up to four times as long while less than 1 MiB has arrived. The first quarter
/// is not counted: TCP's slow start, and what the link lets pass at once after a pause.
inline constexpr std::chrono::milliseconds rate_time{80};

/// The median time in which a byte goes and comes back, in ns, at least 1. Throws agent::Error.
std::uint64_t round_trip_ns(const base::FileDescriptor& connection);

/// Returns bytes until the other side closes.
void echo(const base::FileDescriptor& connection);

/// Bytes/s that arrive, at least 1. Throws agent::Error if none do.
std::uint64_t receive_rate(const base::FileDescriptor& connection);

/// Sends until the other side writes, closes or takes nothing for `tcp_timeout`.
void send_until_answer(const base::FileDescriptor& connection);

}  // namespace adarun::launcher::agent
