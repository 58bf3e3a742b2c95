// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "adasum/peers.h"

namespace adasum {

/// Runs `body` once per rank, each in a thread of its own, with the Peers of a world of `size` ranks; returns
/// when all have ended. For tests, and for programs that want several ranks in one process.
///
/// Where a body throws, the world breaks: the others get adasum::Error out of their next wait, and run_ranks
/// throws what the first one threw. A wait longer than `deadline` throws adasum::Error, so that ranks which
/// disagree on the next call fail rather than hang.
void run_ranks(int size, const std::function<void(Peers&)>& body,
               std::chrono::milliseconds deadline = std::chrono::seconds(30));

}  // namespace adasum
