// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/endpoint.h"
#include "adasum/sockets/link.h"
#include "adasum/sockets/secret.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// For all ranks to meet.
inline constexpr std::chrono::milliseconds default_meeting_timeout = std::chrono::minutes(1);

/// A rank that wants to meet the others of its world.
struct Participant {
  int rank = 0;
  int size = 1;
  std::uint64_t generation = 0;
  Endpoint root;  ///< Where rank `root_rank` listens.
  Secret secret{};
  Descriptor listener;  ///< This rank's, if it listens already.
  int root_rank = 0;
  RankNames names = {};
  Messages messages = Messages::authenticated;
};

/// The root's listener for the endpoint at which the others look for it: on all addresses of this machine,
/// because its own name may stand for a loopback address there, and the others' for one that a router
/// translates. On that address alone if it is of loopback. Throws adasum::Error that names the endpoint.
Descriptor listen_as_root(const Endpoint& root);

/// The connections of a rank to all others.
struct RankConnections {
  std::vector<Link> connections;  ///< By rank; empty for this one.
  Descriptor listener;            ///< This rank's.
  Endpoint endpoint;              ///< Where the others reach it.
};

/// Connects each rank with every other:
/// 1. the root listens; each other rank connects to it;
/// 2. each other rank listens at a free port of the address from which it reached the root, and tells it. On
///    all addresses if that is of loopback and the root's name is not: the others, maybe on other machines,
///    look for it at that name;
/// 3. the root tells all of them the endpoints of all;
/// 4. each rank connects to those below it, and accepts those above it.
/// Every connection begins with a Handshake. Connections of strangers are closed; those that say nothing hold
/// up nobody.
///
/// A rank that is refused tries again until the deadline, unless the other side does not know the secret, or
/// has other `messages`. Collective. Throws adasum::Error that names the ranks that are missing at the
/// deadline.
RankConnections meet(Participant participant, const Deadline& deadline);

}  // namespace adasum::sockets
