// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"

namespace adasum::sockets {

/// Runs `body` once per rank, each in a thread of its own, with its communicator of a world that is connected
/// by TCP over loopback; `ranks_per_node` ranks each say that they share a machine (0: all). Throws what the
/// first body that failed threw.
inline void run_socket_ranks(int size, const std::function<void(Communicator&)>& body, int ranks_per_node = 0,
                             const MeshOptions& options = {}) {
  Descriptor listener = listen_on({"127.0.0.1", 0});
  SocketWorld world{.size = size,
                    .root = {"127.0.0.1", port_of(listener)},
                    .secret = random_secret(),
                    .node = {},
                    .mesh = options};
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](SocketWorld mine, Descriptor own) {
    try {
      const auto communicator = socket_communicator(mine, std::move(own));
      body(*communicator);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (world.rank = 0; world.rank < size; ++world.rank) {
    world.node = std::to_string(ranks_per_node == 0 ? 0 : world.rank / ranks_per_node);
    threads.emplace_back(run, world, world.rank == 0 ? std::move(listener) : Descriptor());
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace adasum::sockets
