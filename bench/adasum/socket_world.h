// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/communicators/communicator.h"
#include "adasum/sockets/link.h"

namespace adarun::bench {

/// The ranks of `world`, connected by TCP: rank 0 listens at MASTER_ADDR, else on loopback. Collective.
/// Throws adasum::Error.
std::unique_ptr<adasum::Communicator> socket_world(adasum::Communicator& world,
                                                   adasum::sockets::Messages messages);

}  // namespace adarun::bench
