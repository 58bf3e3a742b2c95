// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/sockets/endpoint.h"
#include "adasum/sockets/mesh.h"
#include "adasum/sockets/rendezvous.h"
#include "adasum/sockets/secret.h"
#include "adasum/types/descriptor.h"

namespace adasum {

/// A world of processes that are connected by TCP.
struct SocketWorld {
  int rank = 0;
  int size = 1;
  std::uint64_t generation = 0;  ///< Ranks of another generation are refused.
  sockets::Endpoint root;        ///< Where rank 0 listens, and the others find it.
  sockets::Secret secret{};      ///< The same on all ranks, known to nobody else.

  /// The ranks with the same text share a machine; empty: boot id and host name of this machine.
  std::string node;

  /// For all ranks to meet.
  std::chrono::milliseconds connect_timeout = sockets::default_meeting_timeout;
  sockets::MeshOptions mesh;
  sockets::Messages messages = sockets::Messages::authenticated;  ///< The same on all ranks.
};

/// The ranks of `world`, connected with one another. Every wait has a deadline; a rank that ends is noticed
/// at once, a machine that is switched off within 30 s. Sums are in rank order: the same bits as from
/// threads. Collective. Throws adasum::Error if the ranks do not meet in time.
///
/// `listener`: rank 0's, if it listens at `world.root` already.
std::unique_ptr<Communicator> socket_communicator(const SocketWorld& world, Descriptor listener = {});

/// The same for ranks that have met: `connections` as from sockets::meet(). `node` as in SocketWorld.
std::unique_ptr<Communicator> connected_communicator(int rank, std::vector<sockets::Link> connections,
                                                     const sockets::MeshOptions& options,
                                                     const std::string& node = "");

}  // namespace adasum
