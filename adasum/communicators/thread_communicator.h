// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Options of a world of threads.
struct ThreadWorld {
  std::chrono::milliseconds deadline = std::chrono::seconds(30);  ///< For each wait for a message.
  int ranks_per_node = 0;  ///< Ranks that split_by_node() treats as one machine; 0: all.
};

/// Runs `body` once per rank, each in its own thread, with the Communicator of a world of `size` ranks;
/// returns when all have ended. For tests, and for programs that want several ranks in one process.
///
/// If a body throws, the next wait of every other rank throws adasum::Error, and run_ranks throws what the
/// first one threw. A wait longer than the deadline throws adasum::Error, so ranks that disagree on the next
/// call fail instead of hanging.
void run_ranks(int size, const std::function<void(Communicator&)>& body, const ThreadWorld& options = {});

}  // namespace adasum
