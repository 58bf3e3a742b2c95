// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// How a world of threads behaves.
struct ThreadWorld {
  std::chrono::milliseconds deadline = std::chrono::seconds(30);  ///< Of every wait for a message.
  int ranks_per_node = 0;  ///< Ranks that split_by_node() takes for those of one machine; 0: all.
};

/// Runs `body` once per rank, each in a thread of its own, with the Communicator of a world of `size` ranks;
/// returns when all have ended. For tests, and for programs that want several ranks in one process.
///
/// Where a body throws, the other ranks get adasum::Error out of their next wait, and run_ranks throws what
/// the first one threw. A wait longer than the deadline throws adasum::Error, so that ranks which disagree on
/// the next call fail rather than hang.
void run_ranks(int size, const std::function<void(Communicator&)>& body, const ThreadWorld& options = {});

}  // namespace adasum
